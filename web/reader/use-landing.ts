import { useSignalEffect } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { PageDetails, PageSummary } from "../../lib/documents/page-details.ts"
import { ApiFailure } from "../api/api-failure.ts"
import { loadPassage } from "./document-api.ts"
import type { PageCache } from "./page-cache.ts"
import type { PageWindow } from "./page-window.ts"
import { isPartOf, type Landing, type ReaderRoom, useReaderRoom } from "./reader-room.ts"

interface LandingParts {
  readonly pages: readonly PageSummary[]
  readonly cache: PageCache<PageDetails>
  readonly view: PageWindow
}

/** Goes where the address, or a link, says: to the page at once, and to the passage as soon as it is there. */
export function useLanding(parts: LandingParts): void {
  const room = useReaderRoom()
  const latest = useRef(parts)
  latest.current = parts
  const gone = useRef(new AbortController())
  useEffect(() => () => gone.current.abort(), [])
  useSignalEffect(() => {
    const landing = room.landing.value
    gone.current.abort()
    gone.current = new AbortController()
    const { signal } = gone.current
    // After the list of pages is attached, whose effect comes after this one.
    queueMicrotask(() => {
      if (!signal.aborted) void land(room, latest.current, landing, signal)
    })
  })
}

async function land(room: ReaderRoom, parts: LandingParts, landing: Landing, signal: AbortSignal): Promise<void> {
  const { page, chunkId } = landing
  const { pages } = parts
  if (page === null && chunkId === null) return
  const known = pages.some(({ number }) => number === page)
  if (page !== null && !known) room.page.value = pages[0]?.number ?? 1
  if (page !== null && known) toPage(room, parts, page, chunkId)
  if (chunkId === null) return
  if (page !== null && known && (await isOn(parts.cache, page, chunkId))) return
  if (signal.aborted) return
  const passage = await loadPassage(signal, room.documentId, chunkId).catch((error: unknown) => {
    const isMissing = error instanceof ApiFailure && error.code === "not_found"
    if (isMissing && !signal.aborted) room.missing.value = chunkId
    return null
  })
  if (signal.aborted || passage?.page === undefined) return
  room.select(chunkId, passage.page)
  toPage(room, parts, passage.page, chunkId)
}

function toPage(room: ReaderRoom, { pages, view }: LandingParts, page: number, chunkId: string | null): void {
  const index = pages.findIndex(({ number }) => number === page)
  if (index === -1) return
  if (chunkId === null) {
    // Who reads, or typed where to go, goes on from there; who steps by the buttons steps on.
    const takesFocus = document.activeElement?.closest(".reader-pages, .turning-to") != null
    view.jump(
      index,
      (element) => element.querySelector("h2"),
      (heading) => takesFocus && heading.focus({ preventScroll: true }),
    )
    room.said.value = `Page ${page} of ${pages.length}`
    return
  }
  view.jump(
    index,
    // On a phone that shows the picture, its region is what can be seen.
    (element) => {
      const passage = element.querySelector<HTMLElement>("[data-passage][data-selected]")
      const isPictured = room.place.peek().view === "picture" && matchMedia("(max-width: 51.99rem)").matches
      return (isPictured && element.querySelector<HTMLElement>(".page-region[aria-pressed=true]")) || passage
    },
    (passage) => {
      passage.focus({ preventScroll: true })
      room.said.value = `Page ${page} of ${pages.length}: the cited passage is shaded`
    },
  )
}

/** Whether a page has the passage; where it can't be loaded that says so itself. */
async function isOn(cache: PageCache<PageDetails>, page: number, chunkId: string): Promise<boolean> {
  const details = await cache.get(page).catch(() => null)
  return details === null || details.chunks.some((chunk) => isPartOf(chunk, chunkId))
}
