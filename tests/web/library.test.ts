import type { Page } from "playwright-core"
import { expect } from "vitest"
import { test } from "./browser.ts"
import { tabTo } from "./keyboard.ts"

const COPY = "en/ice-house-copy"
const MAST = { name: "mast.txt", mimeType: "text/plain", buffer: Buffer.from("The old mast was sold.") }
const ASKED = `/?q=${encodeURIComponent("At what price was ice sold in summer?")}&doc=${encodeURIComponent(COPY)}`

test("a PDF that is added is read, and found on its page; deleted, it is found no more", async ({ room }) => {
  const page = await room.open("/library")
  await page.getByText("Options", { exact: true }).click()
  await page.getByLabel(/^Id/).fill(COPY)
  await page.locator(".upload-desk input[type=file]").setInputFiles("samples/en/ice-house-report-1936.pdf")
  const upload = page.getByRole("region", { name: "Uploads" }).getByRole("listitem")
  await upload.getByText(/^Ready/).waitFor()
  await row(page, COPY).waitFor()

  await page.goto(ASKED)
  const found = page.getByRole("list", { name: "Results" }).getByRole("heading").getByRole("link").first()
  await found.click()
  await page.waitForURL(/\/d\/en%2Fice-house-copy\/p\d{3}#c\d{4}$/)
  await page
    .getByRole("group", { name: /^Selected passage/ })
    .first()
    .waitFor()

  await page.goto("/library")
  await row(page, COPY)
    .getByRole("button", { name: /^Delete/ })
    .click()
  const dialog = page.getByRole("dialog", { name: "Delete this document?" })
  await room.axe()
  await dialog.getByRole("button", { name: "Keep it" }).click()
  await row(page, COPY)
    .getByRole("button", { name: /^Delete/ })
    .click()
  await dialog.getByRole("button", { name: "Delete it" }).click()
  await row(page, COPY).waitFor({ state: "detached" })
  await page.goto(ASKED)
  await page.getByRole("heading", { name: "No passage fits" }).waitFor()
})

test("a file that can't be read says why, and takes another in its place", async ({ room }) => {
  // Told by the form at once, or by the job.
  room.expectTrouble(/^4\d\d POST \/documents$/)
  const page = await room.open("/library")
  await page
    .locator(".upload-desk input[type=file]")
    .setInputFiles({ name: "broken.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7 and no more") })
  const upload = page.getByRole("region", { name: "Uploads" }).getByRole("listitem")
  await upload.and(page.locator("[data-stage=failed]")).waitFor()
  expect((await upload.locator(".upload-words").textContent())?.length).toBeGreaterThan(10)
  await room.axe()
  await upload.locator("input[type=file]").setInputFiles({
    name: "whole.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("The pilot cutter has a new mast."),
  })
  await upload.getByText(/^Ready/).waitFor()
})

test("by keyboard alone: add a file, read it, and delete it", async ({ room }) => {
  const page = await room.open("/library")
  // Long before it is needed: the browser has to hear that no dialog of its own is wanted.
  page.on("filechooser", (chooser) => void chooser.setFiles(MAST))
  await page.getByRole("heading", { name: "What it holds" }).waitFor()
  await tabTo(page, /^Choose files/)
  await page.keyboard.press("Enter")
  const link = page.getByRole("region", { name: "Uploads" }).getByRole("link", { name: "mast.txt" })
  await link.waitFor()
  await tabTo(page, /^mast\.txt$/)
  await page.keyboard.press("Enter")
  await page.getByText("The old mast was sold.").waitFor()
  await tabTo(page, /^Library$/)
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: /^Delete .*mast/ }).waitFor()
  await tabTo(page, /^Delete .*mast/)
  await page.keyboard.press("Enter")
  await page.getByRole("dialog", { name: "Delete this document?" }).waitFor()
  await tabTo(page, /^Delete it$/)
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: /^Delete .*mast/ }).waitFor({ state: "detached" })
})

function row(page: Page, id: string) {
  return page.locator(`tr[id="document-${id}"]`)
}
