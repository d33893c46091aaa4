import type { VNode } from "preact"
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import type { PageDetails, PageSummary } from "../../lib/documents/page-details.ts"
import type { PageCache } from "./page-cache.ts"
import { PageSection } from "./page-section.tsx"
import { ratioOf } from "./page-shape.ts"
import { createPageWindow } from "./page-window.ts"
import { useReaderRoom } from "./reader-room.ts"
import { useLanding } from "./use-landing.ts"
import { usePageKeys } from "./use-page-keys.ts"

/** Below this width, px, picture and text take turns: as page.css has it. */
const NARROW_PX = 832
/** A page's head and its gap, px. */
const FRAME_PX = 96
/** A page of text alone on a phone, px. */
const TEXT_PX = 900
/** How long nobody scrolls until the address names the page, ms. */
const TURNED_MS = 250

interface PagedReaderProps {
  readonly pages: readonly PageSummary[]
  readonly cache: PageCache<PageDetails>
}

/** All pages of a document, one below the other, of which only those near the window are rendered. */
export function PagedReader({ pages, cache }: PagedReaderProps) {
  const room = useReaderRoom()
  const list = useRef<HTMLDivElement>(null)
  const view = useMemo(() => {
    let timer = 0
    return createPageWindow({
      count: pages.length,
      estimate: (index) => estimateOf(pages[index], list.current, room.place.peek().view),
      coveredPx: () => document.querySelector(".reader-bar")?.getBoundingClientRect().height ?? 0,
      onPage(index, byHand) {
        const number = pages[index]?.number ?? 1
        room.page.value = number
        clearTimeout(timer)
        if (byHand) timer = window.setTimeout(() => room.turned(number), TURNED_MS)
      },
    })
  }, [pages])
  useLayoutEffect(() => (list.current ? view.attach(list.current) : undefined), [view])
  useLanding({ pages, cache, view })
  usePageKeys(pages)
  const rendered = view.rendered.value
  const { language, view: choice } = room.place.value
  useLayoutEffect(() => view.settle(), [view, rendered])
  useLayoutEffect(() => {
    room.beforeReshaping.current = view.hold
  }, [view])
  return (
    <div ref={list} class="reader-pages" data-view={choice} data-language={language}>
      {withGaps(rendered, view.offsets(), pages.length, (index) => {
        const page = pages[index]
        return page && <PageSection key={page.number} {...{ page, index, cache, view }} count={pages.length} />
      })}
    </div>
  )
}

/** The pages, and between them empty stretches as high as those that aren't rendered. */
function withGaps(
  rendered: readonly number[],
  offsets: { readonly of: (index: number) => number },
  count: number,
  show: (index: number) => VNode | undefined,
): (VNode | undefined)[] {
  const gap = (from: number, to: number) => (
    <div key={`gap ${to}`} style={{ height: `${offsets.of(to) - offsets.of(from)}px` }} />
  )
  let next = 0
  const parts = rendered.flatMap((index) => {
    const from = next
    next = index + 1
    return index > from ? [gap(from, index), show(index)] : [show(index)]
  })
  return next < count ? [...parts, gap(next, count)] : parts
}

function estimateOf(page: PageSummary | undefined, list: HTMLElement | null, view: "text" | "picture"): number {
  const width = list?.clientWidth ?? 1_000
  if (innerWidth < NARROW_PX) return view === "text" ? TEXT_PX : width / ratioOf(page) + FRAME_PX
  return Math.min((width * 5) / 11 / ratioOf(page), innerHeight - 120) + FRAME_PX
}
