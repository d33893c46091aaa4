import { expect } from "vitest"
import { test } from "./browser.ts"
import { tabTo } from "./keyboard.ts"

test("by keyboard alone: turn pages, go to one, shade a passage, save its cut-out, take the shade off", async ({
  room,
}) => {
  const page = await room.open("/d/en%2Fice-house-report-1936/p001")
  await room.settled()
  await page.keyboard.press("ArrowRight")
  await page.waitForURL(/\/p002$/)
  await page.keyboard.press("ArrowLeft")
  await page.waitForURL(/\/p001$/)
  await tabTo(page, /^Go to page$/)
  await page.keyboard.type("99")
  await page.keyboard.press("Enter")
  await page.getByRole("status").filter({ hasText: "There is no such page: they go from 1 to" }).waitFor()
  await page.getByLabel("Go to page").selectText()
  await page.keyboard.type("2")
  await page.keyboard.press("Enter")
  await page.waitForURL(/\/p002$/)
  // The page takes the focus when it's there, or keeps it off where a key comes first: Tab would go on through page 1.
  await page.locator("h2:focus", { hasText: "Page 2 " }).waitFor()
  await tabTo(page, /^Shade passage c\d{4} and cite it$/)
  await page.keyboard.press("Enter")
  await page.waitForURL(/\/p002#c\d{4}$/)
  await tabTo(page, /^Save cut-out/)
  const [saved] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")])
  expect(saved.suggestedFilename()).toMatch(/p002-c\d{4}\.(png|webp|jpg)$/)
  await page.keyboard.press("Escape")
  await page.waitForURL(/\/p002$/)
})

test("by keyboard alone: read a document in its other language", async ({ room }) => {
  const page = await room.open("/d/andorinha-inquiry-1934")
  await room.settled()
  await tabTo(page, /^Both$/)
  await page.keyboard.press("ArrowRight")
  await page.waitForURL(/\?lang=translation/)
  await page.keyboard.press("ArrowLeft")
  await page.keyboard.press("ArrowLeft")
  await page.waitForURL(/\?lang=original/)
})
