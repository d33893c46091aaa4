import { afterAll, beforeAll, describe, expect, inject } from "vitest"
import { test } from "./browser.ts"

const SCRIPT = '<script>alert("ran")</script><img src="nowhere.png" onerror="alert(1)">'
const MARKDOWN = "**not bold** [no link](javascript:alert(2)) `no code`"
const UNBROKEN = "x".repeat(10_000)
const TURNED = "שלום עולם, مرحبا بالعالم \u202Eturned round\u202C"
const EMOJI = "🤷🏽‍♀️ 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿"
const ID = "hostile/<u>é</u>?#%2F"

beforeAll(async () => {
  const content = ["The hostilewort grows on the quay.", SCRIPT, MARKDOWN, TURNED, EMOJI, UNBROKEN].join("\n\n")
  const response = await fetch(`${inject("origin")}/index`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: ID, title: `Hostilewort ${SCRIPT} ${MARKDOWN} ${"y".repeat(300)}`, content }),
  })
  expect(response.status).toBe(201)
})
afterAll(async () => {
  await fetch(`${inject("origin")}/documents/${encodeURIComponent(ID)}`, { method: "DELETE" })
})

describe.each([
  ["the results", "/?q=hostilewort", ".result"],
  ["the rankings side by side", "/?q=hostilewort&compare=both,words", "[data-result]"],
  ["the reader", `/d/${encodeURIComponent(ID)}`, "[data-passage]"],
  ["the answer", "/ask?q=Where%20does%20the%20hostilewort%20grow%3F", ".verdict, .refusal"],
  ["the library", "/library", "tr"],
])("in %s hostile text is text", (_, path, there) => {
  for (const width of [320, 1280]) {
    test(`at ${width} px: nothing runs, nothing is marked up, nothing reaches beyond the window`, async ({ room }) => {
      const page = await room.open(path, { width })
      await page.locator(there).first().waitFor()
      await room.settled()
      await page
        .getByText(/hostilewort/i)
        .first()
        .waitFor()
      expect(await page.locator("main script, [onerror], [href^='javascript:'], main u").count()).toBe(0)
      await room.fitsItsWidth()
      await room.axe()
    })
  }
})

test("the reader shows all of it, to the letter", async ({ room }) => {
  const page = await room.open(`/d/${encodeURIComponent(ID)}`)
  await page.locator("[data-passage]").first().waitFor()
  const text = () => page.locator("main").evaluate((main) => main.textContent)
  for (const part of [SCRIPT, MARKDOWN, TURNED, EMOJI]) await expect.poll(text).toContain(part)
})
