import type { Page } from "playwright-core"

/** More than any view has stops. */
const STOPS_MAX = 150

/** Presses Tab until what has the focus is called so; fails where that never comes. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < STOPS_MAX; presses++) {
    await page.keyboard.press("Tab")
    const at = await page.evaluate(nameOfFocused)
    if (name.test(at)) return
    passed.push(at)
  }
  throw new Error(`Tab never came to ${name}, only to ${passed.join(" | ")}`)
}

/** Runs in the page. Names as far as the reading room gives any: by a label, or by what is inside. */
function nameOfFocused(): string {
  const element = document.activeElement
  const labels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels : null
  return (element?.getAttribute("aria-label") ?? labels?.[0]?.textContent ?? element?.textContent ?? "").trim()
}
