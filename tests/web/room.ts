import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import axe from "axe-core"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { expect } from "vitest"
import { watchForTrouble } from "./trouble.ts"

/** Long enough for a machine that does ten other things, ms. */
const PATIENCE_MS = 60_000

interface Visit {
  /** Of the window, px. 1280 unless told. */
  readonly width?: number
  readonly scheme?: "light" | "dark"
  /** The key that this tab was given before. */
  readonly key?: string
  /** Another server than the open one. */
  readonly origin?: string
}

/** The reading room as one visitor sees it. */
export interface Room {
  /** Opens an address of it in a new window without any memory. */
  open(path: string, visit?: Visit): Promise<Page>
  /** What of troubles (`401 GET /documents`, `console: …`) belongs to this test; all others fail it. */
  expectTrouble(pattern: RegExp): void
  /** Waits until nothing is loading any more. */
  settled(): Promise<void>
  /** Fails with what axe finds, and what on. */
  axe(): Promise<void>
  /** Fails with what is wider than the window, where it scrolls sideways. */
  fitsItsWidth(): Promise<void>
  /** Writes `<name>.png` into the folder CONCORDANCE_SCREENSHOTS, where it is set. */
  screenshot(name: string): Promise<void>
  /** Fails with the troubles that nobody expected. */
  close(): Promise<void>
}

/** Opens no window yet. */
export function createRoom(browser: Browser, home: string): Room {
  const expected: RegExp[] = []
  const troubles: string[] = []
  let context: BrowserContext | undefined
  let current: Page | undefined
  const page = () => {
    if (!current) throw new Error("Nothing is open yet: room.open() comes first")
    return current
  }
  return {
    async open(path, { width = 1280, scheme = "light", key, origin = home } = {}) {
      await context?.close()
      context = await browser.newContext({
        viewport: { width, height: width < 700 ? 844 : 800 },
        colorScheme: scheme,
        reducedMotion: "reduce",
        baseURL: origin,
        // Of one language everywhere, so that figures and days read the same.
        locale: "en-GB",
      })
      context.setDefaultTimeout(PATIENCE_MS)
      if (key !== undefined)
        await context.addInitScript((key) => sessionStorage.setItem("concordance-api-key", key), key)
      current = await context.newPage()
      await watchForTrouble(current, origin, (trouble) => troubles.push(trouble))
      await current.goto(path)
      return current
    },
    expectTrouble: (pattern) => void expected.push(pattern),
    async settled() {
      await page().locator("h1").first().waitFor()
      await expect.poll(() => page().evaluate(stillLoading)).toEqual([])
    },
    async axe() {
      // By the debugger, which no content policy keeps out.
      await page().evaluate(axe.source)
      const violations = await page().evaluate(
        async () => (await (window as unknown as { axe: typeof axe }).axe.run()).violations,
      )
      expect(violations.map(({ id, help, nodes }) => [`${id}: ${help}`, ...nodes.map(({ html }) => html)])).toEqual([])
    },
    fitsItsWidth: async () => expect(await page().evaluate(tooWide)).toEqual([]),
    async screenshot(name) {
      // biome-ignore lint/style/noProcessEnv: a test's own setting, which the product has no use for
      const folder = process.env["CONCORDANCE_SCREENSHOTS"]
      if (!folder) return
      await mkdir(folder, { recursive: true })
      await page().screenshot({ path: join(folder, `${name}.png`), fullPage: true })
    },
    async close() {
      await context?.close()
      expect(troubles.filter((trouble) => !expected.some((pattern) => pattern.test(trouble)))).toEqual([])
    },
  }
}

/** Runs in the page: placeholders, and pictures within the window that aren't there yet. */
function stillLoading(): string[] {
  const pictures = [...document.images].filter(({ complete, loading }) => !complete && loading !== "lazy")
  const waiting = [...document.querySelectorAll(".loading, [aria-busy=true]"), ...pictures]
  return waiting.map(({ outerHTML }) => outerHTML.slice(0, 200))
}

/** Runs in the page: what reaches beyond the window, where the window scrolls for it. */
function tooWide(): string[] {
  const { clientWidth, scrollWidth } = document.documentElement
  if (scrollWidth <= clientWidth) return []
  const wide = [...document.querySelectorAll("body *")].filter(
    (element) => element.getBoundingClientRect().right > clientWidth + 0.5,
  )
  return [`${scrollWidth} px in ${clientWidth} px`, ...wide.map(({ outerHTML }) => outerHTML.slice(0, 200))]
}
