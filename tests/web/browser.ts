import { type Browser, chromium } from "playwright-core"
import { test as base, inject } from "vitest"
import type {} from "./provided.ts"
import { createRoom, type Room } from "./room.ts"

interface Fixtures {
  readonly browser: Browser
  /** A visit of its own: nothing of another test's is remembered. What went wrong in the page fails the test. */
  readonly room: Room
}

/** A test that a browser takes part in. */
export const test = base.extend<Fixtures>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs.
    async ({}, use) => {
      const browser = await chromium.connect(inject("browser"))
      await use(browser)
      await browser.close()
    },
    { scope: "file" },
  ],
  room: async ({ browser }, use) => {
    const room = createRoom(browser, inject("origin"))
    await use(room)
    await room.close()
  },
})
