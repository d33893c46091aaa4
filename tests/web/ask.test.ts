import { expect } from "vitest"
import { test } from "./browser.ts"
import { tabTo } from "./keyboard.ts"

const QUESTION = "How much paraffin does the lamp burn on a winter night?"

test("an answer quotes the documents, and its citation leads to the shaded lines", async ({ room }) => {
  const page = await room.open("/ask")
  await page.getByLabel("Your question").fill("How many tonnes of ice were sold in 1936?")
  await page.getByRole("button", { name: "Ask", exact: true }).click()
  await page.locator(".verdict").getByText("no language model").waitFor()
  const marks = page.getByRole("button", { name: /^Source \d+:/ })
  await marks.first().click()
  const source = page.getByRole("region", { name: /^Sources/ }).locator("article[data-shown=true]")
  await source.getByRole("link", { name: /^Read it/ }).click()
  await page
    .getByRole("group", { name: /^Selected passage/ })
    .first()
    .waitFor()
  await page.goBack()
  await page.locator(".verdict").getByText("no language model").waitFor()
})

test("what the documents don't say is refused, with ways on", async ({ room }) => {
  const page = await room.open("/ask?q=Who%20invented%20the%20telephone%3F")
  await page.getByText("No answer is better than a wrong one").waitFor()
  await page.getByRole("link", { name: "Look at the nearest passages" }).click()
  await page.getByRole("list", { name: "Results" }).waitFor()
})

test("by keyboard alone: ask, follow a citation, come back, ask on", async ({ room }) => {
  const page = await room.open("/ask")
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA")
  await page.keyboard.type(QUESTION)
  await page.keyboard.press("Enter")
  await page.locator(".verdict").getByText("no language model").waitFor()
  await tabTo(page, /^Source 1:/)
  await page.keyboard.press("Enter")
  await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain("source")
  await page.keyboard.press("Escape")
  await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain("mark")
  await tabTo(page, /^Ask a follow-up/)
  await page.keyboard.type("And on a summer night?")
  await page.keyboard.press("Enter")
  await expect.poll(() => page.getByRole("article").filter({ hasText: "And on a summer night?" }).count()).toBe(1)
})
