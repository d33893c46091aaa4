import type { Box } from "../page.ts"

/** How far apart strips of one picture may be, points. */
const GAP = 1

/** Beyond this many boxes they stay as they are: comparing grows with the square. */
const BOXES_MAX = 1_000

/** Joins boxes that touch or overlap into the boxes around them: many programs cut a picture into strips. */
export function mergeTouching(boxes: readonly Box[]): Box[] {
  if (boxes.length > BOXES_MAX) return [...boxes]
  const merged: Box[] = []
  for (const box of boxes) {
    let around = box
    // What has grown may touch a box that it was apart from before.
    for (let index = merged.findIndex((other) => touches(other, around)); index !== -1; ) {
      const [other = around] = merged.splice(index, 1)
      around = unionOf(around, other)
      index = merged.findIndex((next) => touches(next, around))
    }
    merged.push(around)
  }
  return merged
}

function touches(a: Box, b: Box): boolean {
  return a.x0 <= b.x1 + GAP && b.x0 <= a.x1 + GAP && a.y0 <= b.y1 + GAP && b.y0 <= a.y1 + GAP
}

function unionOf(a: Box, b: Box): Box {
  return {
    x0: Math.min(a.x0, b.x0),
    y0: Math.min(a.y0, b.y0),
    x1: Math.max(a.x1, b.x1),
    y1: Math.max(a.y1, b.y1),
  }
}
