import { signal } from "@preact/signals"
import { createPageAnchor } from "./page-anchor.ts"
import { createPageOffsets, type PageOffsets } from "./page-offsets.ts"

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
  readonly jump: (
    index: number,
    find: (page: HTMLElement) => HTMLElement | null,
    landed: (element: HTMLElement) => unknown,
  ) => void
  /** Somebody scrolls just now, and what comes by may be gone at once. */
  readonly isPassing: () => boolean
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

/** Scrolling is over this long after its last step, ms. */
const PASSING_MS = 150
/** How far pages are rendered outside of what is seen, in heights of the window. */
const AHEAD = 1
/** The page before the reader's eyes crosses this line, in heights of the window. */
const EYE_LINE = 0.35
/** A passage that is gone to stands this far below the top, px: some of what is before it shows. */
const LANDING_PX = 90

/** Keeps only pages near the window in the document, whose length stays that of all. */
export function createPageWindow({ count, estimate, coveredPx, onPage }: PageWindowOptions): PageWindow {
  let offsets = createPageOffsets(count, estimate)
  let list: HTMLElement | null = null
  let scrolledAt = Number.NEGATIVE_INFINITY
  const rendered = signal<readonly number[]>([])
  const elements = new Map<number, HTMLElement>()
  const sizes = new ResizeObserver(() => settle())
  const listTop = () => (list?.getBoundingClientRect().top ?? 0) + scrollY
  const startOf = (index: number) => listTop() + offsets.of(index)
  const anchor = createPageAnchor({ elements, startOf, coveredPx })
  /** Where the window's uncovered top is in the list, px. */
  const position = () => scrollY + coveredPx() - listTop()

  function choose(): void {
    const near = indexesNear(offsets, count, position())
    const focused = focusedIndex(elements)
    // What has the focus stays, or who uses a keyboard would lose it.
    if (focused !== null && !near.includes(focused)) near.push(focused)
    near.sort((a, b) => a - b)
    if (near.join() !== rendered.peek().join()) rendered.value = near
  }

  function settle(): void {
    for (const [index, element] of elements) {
      // One that just left the page has no height any more, and is told of a little later.
      if (element.isConnected) offsets.measured(index, element.getBoundingClientRect().height)
    }
    anchor.restore()
    choose()
  }

  function onScroll(): void {
    if (anchor.isHeld()) anchor.restore()
    else {
      scrolledAt = performance.now()
      const top = position()
      const index = offsets.at(top)
      anchor.keep(top > 0 ? { index, within: top - offsets.of(index) } : null)
      onPage(offsets.at(top + EYE_LINE * innerHeight), true)
    }
    choose()
  }

  function hold(): void {
    anchor.holdPassage()
    offsets = createPageOffsets(count, estimate)
    rendered.value = [...rendered.peek()]
  }

  return {
    rendered,
    offsets: () => offsets,
    hold,
    settle,
    isPassing: () => performance.now() - scrolledAt < PASSING_MS,
    attach(element) {
      list = element
      offsets = createPageOffsets(count, estimate)
      choose()
      const resized = (isWidth: boolean) => {
        if (isWidth) hold()
        settle()
      }
      const stop = watch(element, onScroll, resized, anchor.release)
      return () => {
        stop()
        sizes.disconnect()
        list = null
      }
    },
    place: (index, element) => replace(elements, sizes, index, element),
    jump(index, find, landed) {
      anchor.keep({ index, within: 0, target: { find, belowPx: LANDING_PX } }, landed)
      onPage(index, false)
      anchor.restore()
      choose()
    },
  }
}

function replace(
  elements: Map<number, HTMLElement>,
  sizes: ResizeObserver,
  index: number,
  element: HTMLElement | null,
): void {
  const before = elements.get(index)
  if (before) for (const part of [before, ...textOf(before)]) sizes.unobserve(part)
  elements.delete(index)
  if (!element) return
  elements.set(index, element)
  for (const part of [element, ...textOf(element)]) sizes.observe(part)
}

/** Beside a higher picture it may change, and what is held in it move, while the page stays as high. */
function textOf(page: HTMLElement): readonly Element[] {
  return [...page.querySelectorAll(".page-text")]
}

function indexesNear(offsets: PageOffsets, count: number, top: number): number[] {
  const first = offsets.at(top - AHEAD * innerHeight)
  const last = offsets.at(top + (1 + AHEAD) * innerHeight)
  return Array.from({ length: count === 0 ? 0 : last - first + 1 }, (_, index) => first + index)
}

function focusedIndex(elements: ReadonlyMap<number, HTMLElement>): number | null {
  for (const [index, element] of elements) if (element.contains(document.activeElement)) return index
  return null
}

/** How people scroll; a bar at the side is a pointer's. */
const HANDS = ["wheel", "touchmove", "pointerdown", "keydown"] as const

function watch(
  list: HTMLElement,
  onScroll: () => void,
  onResize: (isWidth: boolean) => void,
  onHand: () => void,
): () => void {
  let width = list.clientWidth
  const resized = () => {
    const before = width
    width = list.clientWidth
    onResize(width !== before)
  }
  addEventListener("scroll", onScroll, { passive: true })
  addEventListener("resize", resized)
  for (const hand of HANDS) addEventListener(hand, onHand, { passive: true, capture: true })
  return () => {
    removeEventListener("scroll", onScroll)
    removeEventListener("resize", resized)
    for (const hand of HANDS) removeEventListener(hand, onHand, { capture: true })
  }
}
