import type { Box } from "../page.ts"
import { heightOf, median, overlapDown } from "./boxes.ts"
import { formRows } from "./form-rows.ts"
import type { PlacedWord } from "./place-words.ts"
import type { RuledTable } from "./ruled-tables.ts"

/** Words of one line without a gap between them, or a whole table: what the XY-cut moves. */
export interface Fragment extends Box {
  readonly words: readonly PlacedWord[]
  readonly table: RuledTable | null
}

/** Words further apart than this share of the line's height stand in two columns, or two cells. */
const GAP = 0.8
/** Where words stand wide apart, as a typewriter sets them, so many usual gaps do, up to this share of the height. */
const USUAL_GAPS = 1.6
const WIDE_GAP_MAX = 1.3
/** Gaps that tell the usual one, and words between which they are: numbers side by side stand in a table. */
const USUAL_GAP_COUNT_MIN = 20
const WORD = /\p{L}{2}/u
/** Words may lie over each other by this share: italics and kerning. */
const OVERLAP = 0.5

/**
 * Words joined where they touch: first in the file's order, which knows best what belongs together, then what is left
 * from left to right, for files that draw their words in any order.
 */
export function joinFragments(words: readonly PlacedWord[], lineHeight: number): Fragment[] {
  const runs: Run[] = []
  const gapMax = widestGap(words, lineHeight)
  for (const word of words) {
    const last = runs.at(-1)
    if (last && areNeighbours(last, word, lineHeight, gapMax)) {
      last.words.push(word)
      grow(last, word)
    } else runs.push({ x0: word.x0, y0: word.y0, x1: word.x1, y1: word.y1, words: [word], table: null })
  }
  return formRows(runs).flatMap((row) => joinRow(row, lineHeight, gapMax))
}

/** The share of a line's height that two words of one text are apart at most. */
function widestGap(words: readonly PlacedWord[], lineHeight: number): number {
  const gaps: number[] = []
  for (const [i, word] of words.entries()) {
    const last = words[i - 1]
    if (!last || overlapDown(last, word) <= 0.5 * Math.min(heightOf(last), heightOf(word))) continue
    const gap = word.x0 - last.x1
    if (gap > 0 && gap < 2 * lineHeight && WORD.test(last.text) && WORD.test(word.text)) gaps.push(gap)
  }
  if (gaps.length < USUAL_GAP_COUNT_MIN) return GAP
  return Math.max(GAP, Math.min(WIDE_GAP_MAX, (USUAL_GAPS * median(gaps)) / lineHeight))
}

/** A fragment that still grows. */
interface Run {
  x0: number
  y0: number
  x1: number
  y1: number
  readonly words: PlacedWord[]
  readonly table: null
}

function joinRow(row: readonly Run[], lineHeight: number, gapMax: number): Run[] {
  const joined: Run[] = []
  for (const run of row) {
    const last = joined.at(-1)
    if (last && areNeighbours(last, run, lineHeight, gapMax)) {
      for (const word of run.words) last.words.push(word)
      grow(last, run)
    } else joined.push(run)
  }
  return joined
}

function grow(run: Run, { x0, y0, x1, y1 }: Box): void {
  if (x0 < run.x0) run.x0 = x0
  if (y0 < run.y0) run.y0 = y0
  if (x1 > run.x1) run.x1 = x1
  if (y1 > run.y1) run.y1 = y1
}

function areNeighbours(left: Box, right: Box, lineHeight: number, gapMax: number): boolean {
  const gap = right.x0 - left.x1
  const height = heightOf(right)
  if (gap >= gapMax * Math.min(height, lineHeight) || gap <= -OVERLAP * height) return false
  return overlapDown(left, right) > 0.5 * Math.min(heightOf(left), height)
}
