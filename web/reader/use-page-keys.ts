import { useEffect } from "preact/hooks"
import type { PageSummary } from "../../lib/documents/page-details.ts"
import { type ReaderRoom, useReaderRoom } from "./reader-room.ts"

/** Where arrows mean something else. */
const OWN_ARROWS = "input, select, textarea, [contenteditable], dialog, [role=radiogroup], [data-own-arrows]"

/**
 * ← and → turn the page, Escape takes the shade off. No letters: they would meet speech input (WCAG 2.1.4). Page Up, Page Down,
 * Home and End stay the browser's.
 */
export function usePageKeys(pages: readonly PageSummary[]): void {
  const room = useReaderRoom()
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isOthers(event)) return
      if (event.key === "Escape" && room.selected.peek() !== null) room.select(null, null)
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
      if (step !== 0 && turnPage(room, pages, step)) event.preventDefault()
    }
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [pages])
}

/** A shortcut of the browser, or a key for what has the focus. */
function isOthers({ altKey, ctrlKey, metaKey, shiftKey, target }: KeyboardEvent): boolean {
  if (altKey || ctrlKey || metaKey || shiftKey) return true
  return target instanceof Element && target.closest(OWN_ARROWS) !== null
}

/** Goes some pages on or back; false at the end. Back doesn't stop at each of them. */
export function turnPage(room: ReaderRoom, pages: readonly PageSummary[], step: number): boolean {
  const index = pages.findIndex(({ number }) => number === room.page.peek())
  const next = pages[index + step]
  if (!next) return false
  room.landing.value = { page: next.number, chunkId: null }
  room.turned(next.number)
  return true
}
