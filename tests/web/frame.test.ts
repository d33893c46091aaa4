import { describe, expect, inject } from "vitest"
import { test } from "./browser.ts"

const NAV = [
  ["Search", "/"],
  ["Ask", "/ask"],
  ["Library", "/library"],
  ["Status", "/status"],
] as const

test("links between the views work, mark where one is, and go back", async ({ room }) => {
  const page = await room.open("/")
  for (const [name, path] of NAV) {
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true }).click()
    await page.locator(`nav a[aria-current=page][href="${path}"]`).waitFor()
    await page.locator("h1").waitFor()
    expect(new URL(page.url()).pathname).toBe(path)
  }
  await page.goBack()
  await page.locator('nav a[aria-current=page][href="/library"]').waitFor()
})

test("the theme turns from the system's to light and dark, and is kept", async ({ room }) => {
  const page = await room.open("/status", { scheme: "light" })
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const theme = page.getByRole("button", { name: /^Theme:/ })
  await theme.waitFor()
  const light = await ground()
  await page.emulateMedia({ colorScheme: "dark" })
  const dark = await ground()
  expect(dark).not.toBe(light)
  await theme.click()
  expect(await ground()).toBe(light)
  await page.reload()
  await page.getByRole("button", { name: "Theme: light. Change it" }).waitFor()
  expect(await ground()).toBe(light)
  await theme.click()
  await page.emulateMedia({ colorScheme: "light" })
  expect(await ground()).toBe(dark)
  await theme.click()
  expect(await ground()).toBe(light)
})

test("by Tab alone one skips to the content, and reaches every view", async ({ room }) => {
  const page = await room.open("/status")
  await page.locator("h1").waitFor()
  await page.keyboard.press("Tab")
  const skip = page.getByRole("link", { name: "Skip to content" })
  await expect.poll(() => skip.evaluate((link) => link === document.activeElement)).toBe(true)
  expect(await skip.boundingBox()).toMatchObject({ y: expect.toSatisfy((y: number) => y >= 0) })
  const reached: (string | undefined)[] = []
  for (let presses = 0; presses < 8; presses++) {
    await page.keyboard.press("Tab")
    reached.push(await page.evaluate(() => document.activeElement?.textContent?.trim()))
  }
  expect(reached).toEqual(expect.arrayContaining(NAV.map(([name]) => name)))
  await skip.focus()
  await page.keyboard.press("Enter")
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main")
})

test("an address that means nothing says so, and leads on", async ({ room }) => {
  const page = await room.open("/d/one/two/three")
  await page.getByRole("heading", { name: "There is no such page" }).waitFor()
  await page.getByRole("link", { name: "see what it holds" }).click()
  await page.locator('nav a[aria-current=page][href="/library"]').waitFor()
})

describe("a server that wants a key", () => {
  const origin = inject("keyedOrigin")

  test("asks for it, says of a wrong one that it is, and shows everything with the right one", async ({ room }) => {
    room.expectTrouble(/^401 /)
    const page = await room.open("/library", { origin })
    const dialog = page.getByRole("dialog", { name: "API key" })
    await dialog.getByText("asks for an API key").waitFor()
    await dialog.getByLabel("Key", { exact: true }).fill(`cc_${"x".repeat(43)}`)
    await dialog.getByRole("button", { name: "Use it" }).click()
    await dialog.getByText("unknown, expired or revoked").waitFor()
    await room.axe()
    await dialog.getByLabel("Key", { exact: true }).fill(inject("key"))
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "hidden" })
    await page.getByText("Tide tables").first().waitFor()
  })

  test("is asked with a key that the tab was given, also for pictures", async ({ room }) => {
    const page = await room.open("/?q=ice%20sold%20in%20summer", { origin, key: inject("key") })
    const picture = page.locator(".page-thumbnail img").first()
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0)
    expect(await picture.getAttribute("src")).toMatch(/^blob:/)
  })
})
