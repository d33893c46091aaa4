import { expect, test } from "vitest"
import { createTestApp } from "./test-app.ts"

const VIEWS = ["/", "/ask", "/library", "/status", "/d/en%2Ftide-tables", "/d/en%2Ftide-tables/p007"]

test.each([...VIEWS, "/docs"])(
  "%s and all it loads come from here, under a policy that lets nothing else in",
  async (path) => {
    const { send } = createTestApp()
    const page = await send("GET", path)
    expect(page.status).toBe(200)
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    const html = await page.text()
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    const loaded = [...html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g)]
    expect(loaded.length).toBeGreaterThan(2)
    for (const [, asset] of loaded) {
      const response = await send("GET", asset ?? "")
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toMatch(/^(text\/(css|javascript)|image\/svg)/)
    }
  },
)

test("files outside the reading room are not its files", async () => {
  const { send } = createTestApp()
  for (const path of ["/assets/..%2Findex.html", "/assets/..%2f..%2fpackage.json", "/assets/none.js"]) {
    expect((await send("GET", path)).status).toBe(404)
  }
})

test("a reading room that isn't built says how to build it", async () => {
  const response = await createTestApp({ root: "/nowhere" }).send("GET", "/")
  expect(response.status).toBe(404)
  expect(((await response.json()) as { detail: string }).detail).toContain("npm run web:build")
})

test("/docs/ leads to /docs", async () => {
  const response = await createTestApp().send("GET", "/docs/")
  expect(response.status).toBe(308)
  expect(response.headers.get("location")).toBe("/docs")
})
