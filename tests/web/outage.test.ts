import { afterAll, beforeAll, describe, inject } from "vitest"
import { test } from "./browser.ts"
import { openDoor } from "./door.ts"

let door: Awaited<ReturnType<typeof openDoor>>
beforeAll(async () => {
  door = await openDoor(inject("origin"))
})
afterAll(() => door.shut())

describe("while the server is away, it is said, and once it is back a retry works", () => {
  test("of a search", async ({ room }) => {
    room.expectTrouble(/^net::ERR_/)
    const page = await room.open("/", { origin: door.origin })
    await page.getByRole("searchbox").fill("lighthouse")
    await room.settled()
    await door.shut()
    await page.keyboard.press("Enter")
    const failure = page.getByRole("alert").filter({ hasText: "The server doesn't answer" })
    await failure.waitFor()
    await room.axe()
    await door.reopen()
    await failure.getByRole("button", { name: "Try again" }).click()
    await page.getByRole("list", { name: "Results" }).getByRole("article").first().waitFor()
  })

  test("of a question", async ({ room }) => {
    room.expectTrouble(/^net::ERR_/)
    const page = await room.open("/ask", { origin: door.origin })
    await page.getByLabel("Your question").fill("Quanto aguenta a prancha do cais?")
    await room.settled()
    await door.shut()
    await page.keyboard.press("Enter")
    const failure = page.getByRole("alert").filter({ hasText: "The server doesn't answer" })
    await failure.waitFor()
    await door.reopen()
    await failure.getByRole("button", { name: "Try again" }).click()
    await page.locator(".verdict").getByText("no language model").waitFor()
  })

  test("of a view that was never opened before", async ({ room }) => {
    room.expectTrouble(/^net::ERR_/)
    const page = await room.open("/", { origin: door.origin })
    await room.settled()
    await door.shut()
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Library" }).click()
    const again = page.getByRole("alert").getByRole("button", { name: /again/i })
    await again.waitFor()
    await door.reopen()
    await again.click()
    await page.getByRole("heading", { level: 1, name: "Library" }).waitFor()
  })
})
