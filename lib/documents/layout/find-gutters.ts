import type { Box } from "../page.ts"
import type { Fragment } from "./join-fragments.ts"

/** A gutter is at least this share of the line's height wide. */
const GUTTER_MIN = 0.7
/** Strips of the page that are looked at in each line's height: the lines of two columns need not stand side by side. */
const STRIPS_PER_LINE = 2
/** Strips that must have the gutter: of about three lines. */
const STRIPS_MIN = 5
/** What is taller than so many strips, a bracket or a broken box, has no say in where lines part. */
const STRIPS_MAX = 12
/** Candidates that are tried: tables and lists have gaps in common too. */
const GUTTERS_MAX = 6

/** Where the most strips have a gap at the same place, the best first: the middle of each gap that they share. */
export function findGutters(items: readonly Fragment[], lineHeight: number): number[] {
  const edges: { x: number; step: 1 | -1 }[] = []
  for (const strip of stripsOf(items, lineHeight / STRIPS_PER_LINE)) {
    for (const [start, end] of gapsOf(strip)) {
      if (end - start >= GUTTER_MIN * lineHeight) edges.push({ x: start, step: 1 }, { x: end, step: -1 })
    }
  }
  edges.sort((a, b) => a.x - b.x || a.step - b.step)
  const shared: { x: number; strips: number; width: number }[] = []
  let strips = 0
  for (const [i, { x, step }] of edges.entries()) {
    strips += step
    const end = edges[i + 1]?.x ?? x
    if (step === 1 && strips >= STRIPS_MIN && end > x) shared.push({ x: (x + end) / 2, strips, width: end - x })
  }
  const gutters: number[] = []
  for (const { x } of shared.sort((a, b) => b.strips - a.strips || b.width - a.width)) {
    if (gutters.every((other) => Math.abs(other - x) > lineHeight)) gutters.push(x)
    if (gutters.length === GUTTERS_MAX) break
  }
  return gutters
}

/** What each strip of this height meets, from left to right. */
function stripsOf(items: readonly Fragment[], height: number): Fragment[][] {
  const strips = new Map<number, Fragment[]>()
  if (!(height > 0)) return []
  for (const item of items) {
    const first = Math.ceil(item.y0 / height)
    const last = Math.floor(item.y1 / height)
    if (item.table || last - first >= STRIPS_MAX) continue
    for (let at = first; at <= last; at++) {
      const strip = strips.get(at)
      if (strip) strip.push(item)
      else strips.set(at, [item])
    }
  }
  return [...strips.values()].map((strip) => strip.sort((a, b) => a.x0 - b.x0))
}

/** Free stretches of a row between its first and its last box. */
function gapsOf(row: readonly Box[]): [start: number, end: number][] {
  const gaps: [number, number][] = []
  let end = Infinity
  for (const { x0, x1 } of row) {
    if (x0 > end) gaps.push([end, x0])
    end = end === Infinity ? x1 : Math.max(end, x1)
  }
  return gaps
}
