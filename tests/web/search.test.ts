import { expect } from "vitest"
import { test } from "./browser.ts"

const ICE = "At what price was ice sold in summer?"

test("a question finds its passage, which opens on its lines; back leads to the results", async ({ room }) => {
  const page = await room.open("/")
  await page.getByRole("searchbox").fill(ICE)
  await page.getByRole("button", { name: "Search", exact: true }).click()
  const first = page.getByRole("list", { name: "Results" }).getByRole("article").first()
  await first.getByText("Page 2", { exact: true }).waitFor()
  expect(await first.locator("mark").allTextContents()).toEqual(expect.arrayContaining(["Ice", "sold", "Price"]))
  const results = page.url()
  await first.getByRole("heading").getByRole("link").click()
  await page.waitForURL(/\/d\/en%2Fice-house-report-1936\/p002#c\d{4}$/)
  const passage = page.getByRole("group", { name: /^Selected passage/ }).first()
  await passage.waitFor()
  expect(await passage.textContent()).toContain("July to September")
  await expect.poll(() => passage.evaluate(isInSight)).toBe(true)
  await page.goBack()
  await page.waitForURL(results)
  await first.waitFor()
})

test("the address is the search: who opens it sees the same results", async ({ room }) => {
  const page = await room.open("/?q=lighthouse")
  const titles = () => page.getByRole("list", { name: "Results" }).getByRole("heading").allTextContents()
  await page.getByRole("list", { name: "Results" }).waitFor()
  const before = await titles()
  await page.getByRole("button", { name: /^Why it ranked first/ }).click()
  await page.locator(".why").getByText("Meaning").waitFor()
  await page.reload()
  await page.getByRole("list", { name: "Results" }).waitFor()
  expect(await titles()).toEqual(before)
})

test("a passage in two languages is read in the other one", async ({ room }) => {
  const page = await room.open("/?q=Who%20sang%20in%20order%20to%20stay%20awake%3F")
  const first = page.getByRole("list", { name: "Results" }).getByRole("article").first()
  const turn = first.getByRole("button", { name: /^Read it in|^Hide the/ })
  await turn.waitFor()
  const texts = () => first.locator(".result-texts > *").count()
  const before = await texts()
  await turn.click()
  await expect.poll(texts).not.toBe(before)
})

test("nothing found is said, with looser ways that find", async ({ room }) => {
  const page = await room.open(`/?q=${encodeURIComponent('"ice lighthouse zeppelin"')}`)
  await page.getByRole("heading", { name: "No passage fits" }).waitFor()
  await page.locator(".looser-ways button").first().click()
  await page.getByRole("list", { name: "Results" }).waitFor()
})

test("by keyboard alone: ask, go down the results, open one on its lines, and come back", async ({ room }) => {
  const page = await room.open("/")
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("question")
  await page.keyboard.type(ICE)
  await page.keyboard.press("Enter")
  await page.getByRole("list", { name: "Results" }).waitFor()
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("j")
  await page.keyboard.press("k")
  const place = () => page.evaluate(() => document.activeElement?.closest("li")?.getAttribute("data-place"))
  await expect.poll(place).toBe("1")
  await page.keyboard.press("w")
  await page.locator(".why").getByText("Meaning").waitFor()
  await page.keyboard.press("Enter")
  await page
    .getByRole("group", { name: /^Selected passage/ })
    .first()
    .waitFor()
  // Alt and the left arrow, which a browser without a window doesn't know.
  await page.goBack()
  await expect.poll(place).toBe("1")
  await page.keyboard.press("/")
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("question")
})

/** Runs in the page. */
function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}
