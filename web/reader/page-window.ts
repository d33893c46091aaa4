import { signal } from "@preact/signals"
import { createPageOffsets, type PageOffsets } from "./page-offsets.ts"

/** What keeps its place before the reader's eyes while pages around it get their true heights. */
interface Anchor {
  readonly index: number
  /** From the page's beginning, px. */
  readonly within: number
  /** An element of the page that stands there instead, once it is rendered. */
  readonly find?: (page: HTMLElement) => HTMLElement | null
}

/** Which pages are rendered, and where the window stands among them. */
export interface PageWindow {
  /** Indexes, in order. */
  readonly rendered: { readonly value: readonly number[] }
  readonly offsets: () => PageOffsets
  /** Watches window and list until the function it returns is called. */
  readonly attach: (list: HTMLElement) => () => void
  /** A page's element came, or went. */
  readonly place: (index: number, element: HTMLElement | null) => void
  /** After pages were rendered: takes their heights, and puts the window back to where it was. */
  readonly settle: () => void
  /** Goes to a page, or to what `find` finds there once it is rendered; `landed` is called with that, once. */
  readonly jump: (index: number, find?: Anchor["find"], landed?: (element: HTMLElement) => unknown) => void
  /** Before something changes every height: what stands on top will stand there again. */
  readonly hold: () => void
}

interface PageWindowOptions {
  readonly count: number
  /** Height of a page that wasn't rendered yet, px. */
  readonly estimate: (index: number) => number
  /** What of the window's top is covered, px. */
  readonly coveredPx: () => number
  /** The page before the reader's eyes; `byHand` where they scrolled. */
  readonly onPage: (index: number, byHand: boolean) => void
}

/** How far pages are rendered outside of what is seen, in heights of the window. */
const AHEAD = 1
/** The page before the reader's eyes crosses this line, in heights of the window. */
const EYE_LINE = 0.35
/** A passage that is gone to stands this far below the top, px: some of what is before it shows. */
const LANDING_PX = 90
/** The browser rounds where it scrolls to, px. */
const ROUNDING_PX = 2

/** Keeps only pages near the window in the document, whose length stays that of all. */
export function createPageWindow({ count, estimate, coveredPx, onPage }: PageWindowOptions): PageWindow {
  let offsets = createPageOffsets(count, estimate)
  let list: HTMLElement | null = null
  let anchor: Anchor | null = null
  let landed: ((element: HTMLElement) => unknown) | undefined
  let ownScroll: number | null = null
  const rendered = signal<readonly number[]>([])
  const elements = new Map<number, HTMLElement>()
  const sizes = new ResizeObserver(() => settle())

  const listTop = () => (list?.getBoundingClientRect().top ?? 0) + scrollY
  /** Where the window's uncovered top is in the list, px. */
  const position = () => scrollY + coveredPx() - listTop()

  function findAnchor(at: Anchor): Anchor {
    const page = elements.get(at.index)
    const found = page && at.find?.(page)
    if (!page || !found) return at
    const from = found.getBoundingClientRect().top - page.getBoundingClientRect().top
    landed?.(found)
    landed = undefined
    return { ...at, within: Math.max(0, from - at.within) }
  }

  function restore(): void {
    if (!list || !anchor) return
    const at = findAnchor(anchor)
    const wanted = listTop() + offsets.of(at.index) + (at.find && at === anchor ? 0 : at.within) - coveredPx()
    const lowest = document.documentElement.scrollHeight - innerHeight
    const target = Math.max(0, Math.min(wanted, lowest))
    if (Math.abs(scrollY - target) < 1) return
    ownScroll = target
    scrollTo({ top: target, behavior: "instant" })
  }

  function choose(): void {
    const top = position()
    const focused = focusedIndex(elements)
    const first = offsets.at(top - AHEAD * innerHeight)
    const last = offsets.at(top + (1 + AHEAD) * innerHeight)
    const near = Array.from({ length: count === 0 ? 0 : last - first + 1 }, (_, index) => first + index)
    // What has the focus stays, or who uses a keyboard would lose it.
    if (focused !== null && !near.includes(focused)) near.push(focused)
    near.sort((a, b) => a - b)
    if (near.join() !== rendered.peek().join()) rendered.value = near
  }

  function settle(): void {
    for (const [index, element] of elements) offsets.measured(index, element.getBoundingClientRect().height)
    restore()
    choose()
  }

  function onScroll(): void {
    if (ownScroll !== null && Math.abs(scrollY - ownScroll) < ROUNDING_PX) {
      choose()
      return
    }
    ownScroll = null
    landed = undefined
    const top = position()
    const index = offsets.at(top)
    anchor = top > 0 ? { index, within: top - offsets.of(index) } : null
    onPage(offsets.at(top + EYE_LINE * innerHeight), true)
    choose()
  }

  function hold(): void {
    offsets = createPageOffsets(count, estimate)
    rendered.value = [...rendered.peek()]
    if (!anchor || anchor.find) return
    const page = elements.get(anchor.index)
    const line = coveredPx()
    const passages = [...(page?.querySelectorAll<HTMLElement>("[data-passage]") ?? [])]
    const found = passages.find((passage) => passage.getBoundingClientRect().bottom > line + 1)
    const within = (found?.getBoundingClientRect().top ?? 0) - line
    anchor = { index: anchor.index, ...(found ? { find: () => found, within } : { within: anchor.within }) }
  }

  return {
    rendered,
    offsets: () => offsets,
    hold,
    settle,
    attach(element) {
      list = element
      offsets = createPageOffsets(count, estimate)
      let width = element.clientWidth
      const onResize = () => {
        if (list && list.clientWidth !== width) hold()
        width = list?.clientWidth ?? width
        settle()
      }
      addEventListener("scroll", onScroll, { passive: true })
      addEventListener("resize", onResize)
      choose()
      return () => {
        removeEventListener("scroll", onScroll)
        removeEventListener("resize", onResize)
        sizes.disconnect()
        list = null
      }
    },
    place(index, element) {
      const before = elements.get(index)
      if (before) sizes.unobserve(before)
      elements.delete(index)
      if (!element) return
      elements.set(index, element)
      sizes.observe(element)
    },
    jump(index, find, whenLanded) {
      anchor = { index, within: find ? LANDING_PX : 0, ...(find && { find }) }
      landed = whenLanded
      onPage(index, false)
      restore()
      choose()
    },
  }
}

function focusedIndex(elements: ReadonlyMap<number, HTMLElement>): number | null {
  for (const [index, element] of elements) if (element.contains(document.activeElement)) return index
  return null
}
