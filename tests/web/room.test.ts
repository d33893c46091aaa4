import { expect, inject } from "vitest"
import { test } from "./browser.ts"
import { createRoom } from "./room.ts"

/** Runs in the page, all of what a visitor wouldn't see. */
function misbehave(): void {
  const inline = document.createElement("script")
  inline.textContent = "1"
  document.body.append(inline)
  void fetch("http://127.0.0.2:9/").catch(() => {})
  void fetch("/documents/none")
  void Promise.reject(new Error("lost"))
  alert("lost")
}

const TROUBLES = [
  /^exception: lost/,
  /^dialog: lost/,
  /^404 GET \/documents\/none/,
  /^content policy: script-src/,
  /^content policy: connect-src/,
  /^(?:console: .*127\.0\.0\.2|left the host: http:\/\/127\.0\.0\.2|console: .*inline script|.* GET \/$)/i,
]

test("a visit fails by each trouble that it doesn't expect, and by no other", async ({ browser }) => {
  const visit = async (expected: readonly RegExp[]) => {
    const room = createRoom(browser, inject("origin"))
    for (const pattern of expected) room.expectTrouble(pattern)
    const page = await room.open("/status")
    await room.settled()
    const answered = page.waitForResponse(/\/documents\/none/)
    await page.evaluate(misbehave)
    await answered
    return room.close()
  }
  await visit(TROUBLES)
  for (const missing of TROUBLES) {
    await expect(visit(TROUBLES.filter((trouble) => trouble !== missing))).rejects.toThrow()
  }
})
