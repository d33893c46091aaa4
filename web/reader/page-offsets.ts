/** Heights of all pages of a document, px: measured of those that were shown, estimated of the others. */
export interface PageOffsets {
  readonly total: () => number
  /** Where a page begins. */
  readonly of: (index: number) => number
  readonly height: (index: number) => number
  /** The page that holds `y`; the first or the last outside of all. */
  readonly at: (y: number) => number
  /** True where it changes anything. */
  readonly measured: (index: number, height: number) => boolean
}

/** Differences below this are rounding, px. */
const SAME_PX = 0.5

/** `estimate` says how high a page will be, px. Sums are made anew when one is asked for after a change. */
export function createPageOffsets(count: number, estimate: (index: number) => number): PageOffsets {
  const heights = Float64Array.from({ length: count }, (_, index) => estimate(index))
  const starts = new Float64Array(count + 1)
  let known = 0
  const sumTo = (index: number) => {
    for (; known < index; known += 1) starts[known + 1] = (starts[known] ?? 0) + (heights[known] ?? 0)
    return starts[index] ?? 0
  }
  return {
    total: () => sumTo(count),
    of: sumTo,
    height: (index) => heights[index] ?? 0,
    at(y) {
      sumTo(count)
      let low = 0
      let high = count - 1
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if ((starts[middle] ?? 0) <= y) low = middle
        else high = middle - 1
      }
      return Math.max(0, low)
    },
    measured(index, height) {
      if (Math.abs((heights[index] ?? 0) - height) < SAME_PX) return false
      heights[index] = height
      known = Math.min(known, index)
      return true
    },
  }
}
