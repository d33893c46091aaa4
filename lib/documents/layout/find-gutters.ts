import { formRows } from "./form-rows.ts"
import type { Fragment } from "./join-fragments.ts"

/** A gutter is at least this share of the line's height wide. */
const GUTTER_MIN = 0.7
/** Rows that must have the gutter. */
const ROWS_MIN = 3
/** Candidates that are tried: tables and lists have gaps in common too. */
const GUTTERS_MAX = 6

/** Where the most rows have a gap at the same place, the best first: the middle of each gap that they share. */
export function findGutters(items: readonly Fragment[], lineHeight: number): number[] {
  const edges: { x: number; step: 1 | -1 }[] = []
  for (const row of formRows(items.filter((item) => item.table === null))) {
    for (const [start, end] of gapsOf(row)) {
      if (end - start >= GUTTER_MIN * lineHeight) edges.push({ x: start, step: 1 }, { x: end, step: -1 })
    }
  }
  edges.sort((a, b) => a.x - b.x || a.step - b.step)
  const shared: { x: number; rows: number; width: number }[] = []
  let rows = 0
  for (const [i, { x, step }] of edges.entries()) {
    rows += step
    const end = edges[i + 1]?.x ?? x
    if (step === 1 && rows >= ROWS_MIN && end > x) shared.push({ x: (x + end) / 2, rows, width: end - x })
  }
  const gutters: number[] = []
  for (const { x } of shared.sort((a, b) => b.rows - a.rows || b.width - a.width)) {
    if (gutters.every((other) => Math.abs(other - x) > lineHeight)) gutters.push(x)
    if (gutters.length === GUTTERS_MAX) break
  }
  return gutters
}

/** Free stretches of a row between its first and its last box. */
export function gapsOf(row: readonly { readonly x0: number; readonly x1: number }[]): [start: number, end: number][] {
  const gaps: [number, number][] = []
  let end = Infinity
  for (const { x0, x1 } of row) {
    if (x0 > end) gaps.push([end, x0])
    end = end === Infinity ? x1 : Math.max(end, x1)
  }
  return gaps
}
