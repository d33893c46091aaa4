import { expect, test } from "vitest"
import { createTestApp } from "./test-app.ts"

test("the pages and all they load come from here, under a policy that lets nothing else in", async () => {
  const { send } = createTestApp()
  for (const path of ["/", "/docs"]) {
    const page = await send("GET", path)
    expect(page.status).toBe(200)
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    const html = await page.text()
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    for (const [, asset] of html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      const response = await send("GET", asset ?? "")
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toMatch(/^text\/(css|javascript)/)
    }
  }
})

test("/docs/ leads to /docs", async () => {
  const response = await createTestApp().send("GET", "/docs/")
  expect(response.status).toBe(308)
  expect(response.headers.get("location")).toBe("/docs")
})
