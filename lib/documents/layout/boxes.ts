import type { Box } from "../page.ts"

/** The smallest box around all of them; all zeros for none. */
export function boxAround(boxes: readonly Box[]): Box {
  if (boxes.length === 0) return { x0: 0, y0: 0, x1: 0, y1: 0 }
  let [x0, y0, x1, y1] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, -Infinity, -Infinity]
  for (const box of boxes) {
    if (box.x0 < x0) x0 = box.x0
    if (box.y0 < y0) y0 = box.y0
    if (box.x1 > x1) x1 = box.x1
    if (box.y1 > y1) y1 = box.y1
  }
  return { x0, y0, x1, y1 }
}

export function heightOf(box: Box): number {
  return box.y1 - box.y0
}

export function widthOf(box: Box): number {
  return box.x1 - box.x0
}

/** Middle of its height. */
export function middleOf(box: Box): number {
  return (box.y0 + box.y1) / 2
}

/** Middle of its width. */
export function centreOf(box: Box): number {
  return (box.x0 + box.x1) / 2
}

/** How far two boxes overlap from top to bottom, points; negative: the gap between them. */
export function overlapDown(a: Box, b: Box): number {
  return Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0)
}

/** How far two boxes overlap from side to side, points; negative: the gap between them. */
export function overlapAcross(a: Box, b: Box): number {
  return Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)
}

/** The upper median; 0 for none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

/** Values in groups no wider than `within`, as the mean of each, ascending. */
export function cluster(values: readonly number[], within: number): number[] {
  const groups: { first: number; sum: number; count: number }[] = []
  for (const value of values.toSorted((a, b) => a - b)) {
    const group = groups.at(-1)
    if (group && value - group.first <= within) {
      group.sum += value
      group.count++
    } else groups.push({ first: value, sum: value, count: 1 })
  }
  return groups.map(({ sum, count }) => sum / count)
}

/** How many of the ascending `edges` are at or below the value. */
export function countUpTo(edges: readonly number[], value: number): number {
  let low = 0
  let high = edges.length
  while (low < high) {
    const mid = (low + high) >> 1
    if ((edges[mid] ?? Infinity) <= value) low = mid + 1
    else high = mid
  }
  return low
}
