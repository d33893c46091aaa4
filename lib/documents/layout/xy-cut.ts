import { boxAround, centreOf, countUpTo, heightOf, middleOf, overlapDown, widthOf } from "./boxes.ts"
import { findGutters } from "./find-gutters.ts"
import { formRows } from "./form-rows.ts"
import type { Fragment } from "./join-fragments.ts"

/** Each cut makes smaller parts; real pages need 4 levels. */
const DEPTH_MAX = 16
/** A column is at least this share of the page's width, and has this many fragments. */
const COLUMN_WIDTH_MIN = 0.15
const COLUMN_FRAGMENTS_MIN = 3
/** Columns stand beside each other for this share of the shorter one's height. */
const COLUMN_OVERLAP_MIN = 0.3
/** Two columns whose lines stand at the same height and have fewer words than this are two columns of a table. */
const TABLE_ALIGNED = 0.7
const TABLE_WORDS_MAX = 3

/**
 * Reading order of a page by recursive XY-cut (Nagy and Seth 1984): its columns and what spans them, in the order in
 * which they are read. A cut is made at the gutter that most lines have; what crosses it parts the page into bands, each
 * of which is cut by itself, so that a title over two columns or a wide figure between them cuts where it stands.
 */
export function cutColumns(fragments: readonly Fragment[], lineHeight: number, pageWidth: number): Fragment[][] {
  return cut(fragments, { lineHeight, pageWidth }, 0)
}

interface Measures {
  readonly lineHeight: number
  readonly pageWidth: number
}

function cut(items: readonly Fragment[], measures: Measures, depth: number): Fragment[][] {
  if (items.length === 0) return []
  if (items.length < 2 * COLUMN_FRAGMENTS_MIN || depth >= DEPTH_MAX) return [[...items]]
  for (const gutter of findGutters(items, measures.lineHeight)) {
    const bands = bandsAround(items, gutter, measures)
    if (bands.some((band) => band.right !== null)) {
      return bands.flatMap(({ left, right }) => [
        ...cut(left, measures, depth + 1),
        ...cut(right ?? [], measures, depth + 1),
      ])
    }
  }
  return [[...items]]
}

/** What stands between two spanning lines; without a right half it has no columns at this gutter. */
interface Band {
  readonly left: Fragment[]
  readonly right: Fragment[] | null
}

function bandsAround(items: readonly Fragment[], gutter: number, measures: Measures): Band[] {
  const spans = spanningIntervals(items, gutter, measures.lineHeight)
  const spanning: Fragment[][] = spans.map(() => [])
  const between: Fragment[][] = Array.from({ length: spans.length + 1 }, () => [])
  for (const item of items) {
    const middle = middleOf(item)
    const index = indexOfLast(spans, middle)
    const span = spans[index]
    if (span && middle <= span.end) spanning[index]?.push(item)
    else between[index + 1]?.push(item)
  }
  const bands: Band[] = []
  // Bands without columns and the lines around them are one part, which is cut by itself.
  let whole: Fragment[] = []
  for (const [i, band] of between.entries()) {
    const left = band.filter((item) => centreOf(item) < gutter)
    const right = band.filter((item) => centreOf(item) >= gutter)
    if (areColumns(left, right, measures)) {
      if (whole.length > 0) bands.push({ left: whole, right: null })
      bands.push({ left, right })
      whole = []
    } else whole = whole.concat(band)
    whole = whole.concat(spanning[i] ?? [])
  }
  if (whole.length > 0) bands.push({ left: whole, right: null })
  return bands
}

interface Interval {
  readonly start: number
  end: number
  /** Bottom and left edge of its lines. */
  bottom: number
  left: number
}

/** Heights at which something crosses the gutter, a line's height on either side at least: less is a word that juts out. */
function spanningIntervals(items: readonly Fragment[], gutter: number, lineHeight: number): Interval[] {
  const intervals: Interval[] = []
  const crossing = items.filter((item) => gutter - item.x0 > lineHeight && item.x1 - gutter > lineHeight)
  for (const item of crossing.sort((a, b) => a.y0 - b.y0)) {
    const margin = heightOf(item) / 4
    const last = intervals.at(-1)
    if (last && item.y0 + margin <= last.end) {
      last.end = Math.max(last.end, item.y1 - margin)
      last.bottom = Math.max(last.bottom, item.y1)
      last.left = Math.min(last.left, item.x0)
    } else intervals.push({ start: item.y0 + margin, end: item.y1 - margin, bottom: item.y1, left: item.x0 })
  }
  if (intervals.length > 0) addLastLines(intervals, items, gutter, lineHeight)
  return intervals
}

/** The short last line of a spanning paragraph belongs to it: close below, at its left edge, nothing beside it. */
function addLastLines(intervals: Interval[], items: readonly Fragment[], gutter: number, lineHeight: number): void {
  const right = items.filter((item) => centreOf(item) >= gutter).map(middleOf)
  right.sort((a, b) => a - b)
  for (const item of items) {
    if (item.x1 > gutter + lineHeight) continue
    const span = intervals[indexOfLast(intervals, item.y0 + heightOf(item) / 4)]
    if (!span || middleOf(item) <= span.end || item.y0 - span.bottom > 0.5 * lineHeight) continue
    const isAlone = countUpTo(right, item.y0) === countUpTo(right, item.y1)
    if (isAlone && Math.abs(item.x0 - span.left) < lineHeight) span.end = Math.max(span.end, middleOf(item))
  }
}

/** Index of the last interval that starts at or above `y`; -1 where none does. */
function indexOfLast(intervals: readonly Interval[], y: number): number {
  let low = 0
  let high = intervals.length
  while (low < high) {
    const mid = (low + high) >> 1
    if ((intervals[mid]?.start ?? Infinity) <= y) low = mid + 1
    else high = mid
  }
  return low - 1
}

function areColumns(left: readonly Fragment[], right: readonly Fragment[], measures: Measures): boolean {
  if (Math.min(left.length, right.length) < COLUMN_FRAGMENTS_MIN) return false
  const a = boxAround(left)
  const b = boxAround(right)
  if (Math.min(widthOf(a), widthOf(b)) < COLUMN_WIDTH_MIN * measures.pageWidth) return false
  if (overlapDown(a, b) < COLUMN_OVERLAP_MIN * Math.min(heightOf(a), heightOf(b))) return false
  return Math.min(wordsEach(left), wordsEach(right)) >= TABLE_WORDS_MAX || alignedShare(left, right) <= TABLE_ALIGNED
}

function wordsEach(items: readonly Fragment[]): number {
  return items.reduce((sum, item) => sum + item.words.length, 0) / items.length
}

/** Share of the left rows that have a fragment of the right side at the same height. */
function alignedShare(left: readonly Fragment[], right: readonly Fragment[]): number {
  const isRight = new Set(right)
  let rows = 0
  let aligned = 0
  for (const row of formRows([...left, ...right])) {
    const rights = row.filter((item) => isRight.has(item))
    const lefts = row.length - rights.length
    if (lefts === 0) continue
    rows++
    const [right] = rights
    const near = row[lefts - 1]
    if (right && near && Math.abs(middleOf(right) - middleOf(near)) < 0.25 * heightOf(right)) aligned++
  }
  return aligned / Math.max(1, rows)
}
