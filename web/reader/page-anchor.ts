/** What keeps its place before the reader's eyes while pages around it get their true heights. */
export interface Anchor {
  readonly index: number
  /** Of the window's uncovered top, from the page's beginning, px. */
  readonly within: number
  /** What is to stand there instead, once it is rendered, so far below the top, px. */
  readonly target?: { readonly find: (page: HTMLElement) => HTMLElement | null; readonly belowPx: number }
}

/** Holds the window to a place. */
export interface PageAnchor {
  /** Holds it there from now on; `landed` is called once, with the target, as soon as that is rendered. */
  readonly keep: (anchor: Anchor | null, landed?: (element: HTMLElement) => unknown) => void
  /** Puts the window where it is held. */
  readonly restore: () => void
  /** Nobody scrolled: the window is where it was put, or the browser moved it because the document became shorter. */
  readonly isHeld: () => boolean
  /** Somebody used wheel, finger or key: what scrolls from now on are they. */
  readonly release: () => void
  /** Holds it to the passage that stands on top, wherever that will be. */
  readonly holdPassage: () => void
}

interface PageAnchorParts {
  /** What is rendered, by the page's index. */
  readonly elements: ReadonlyMap<number, HTMLElement>
  /** Where a page begins, px from the document's beginning. */
  readonly startOf: (index: number) => number
  /** What of the window's top is covered, px. */
  readonly coveredPx: () => number
}

/** So long after its target is there an anchor withstands what nobody did, ms: pages around it load late. */
const WITHSTANDS_MS = 5_000
/** The browser rounds where it scrolls to, px. */
const ROUNDING_PX = 2

export function createPageAnchor({ elements, startOf, coveredPx }: PageAnchorParts): PageAnchor {
  let anchor: Anchor | null = null
  let landed: ((element: HTMLElement) => unknown) | undefined
  let putAt: number | null = null
  /** Until when it withstands, as `performance.now()` counts. */
  let firmUntil = 0

  /** The anchor's place in its page, px: that of its target where it is rendered. */
  function placeIn({ index, within, target }: Anchor): number {
    const page = elements.get(index)
    const found = page?.isConnected ? target?.find(page) : null
    if (!page || !target || !found) return within
    if (landed) {
      firmUntil = performance.now() + WITHSTANDS_MS
      landed(found)
      landed = undefined
    }
    const from = found.getBoundingClientRect().top - page.getBoundingClientRect().top
    return Math.max(0, from - target.belowPx)
  }

  return {
    keep(next, whenLanded) {
      anchor = next
      landed = whenLanded
      putAt = null
      firmUntil = whenLanded ? Number.POSITIVE_INFINITY : 0
    },
    restore() {
      if (!anchor) return
      const wanted = startOf(anchor.index) + placeIn(anchor) - coveredPx()
      const lowest = document.documentElement.scrollHeight - innerHeight
      const top = Math.max(0, Math.min(wanted, lowest))
      putAt = top
      if (Math.abs(scrollY - top) >= 1) scrollTo({ top, behavior: "instant" })
    },
    isHeld: () => performance.now() < firmUntil || (putAt !== null && Math.abs(scrollY - putAt) < ROUNDING_PX),
    release: () => {
      firmUntil = 0
    },
    holdPassage() {
      if (!anchor || anchor.target) return
      const line = coveredPx()
      const passages = elements.get(anchor.index)?.querySelectorAll<HTMLElement>("[data-passage]") ?? []
      const found = [...passages].find((passage) => passage.getBoundingClientRect().bottom > line + 1)
      if (!found) return
      const belowPx = found.getBoundingClientRect().top - line
      firmUntil = performance.now() + WITHSTANDS_MS
      anchor = { ...anchor, target: { find: () => found, belowPx } }
    },
  }
}
