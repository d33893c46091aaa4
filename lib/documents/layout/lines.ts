import type { Box } from "../page.ts"
import { boxAround, heightOf, median, middleOf, widthOf } from "./boxes.ts"
import { formRows } from "./form-rows.ts"
import type { Fragment } from "./join-fragments.ts"
import type { PlacedWord } from "./place-words.ts"
import type { RuledTable } from "./ruled-tables.ts"

/** A line of one column, boxes in the frame of its text. */
export interface Line extends Box {
  readonly page: number
  readonly column: number
  /** From left to right, apart from each other by more than a space. */
  readonly cells: readonly Fragment[]
  readonly words: readonly PlacedWord[]
  /** Of most of its letters, points. */
  readonly fontSize: number
  /** Over nine tenths of its letters are. */
  readonly bold: boolean
  /** Bottom of most of its words. */
  readonly baseline: number
  /** Width of a character where all are equally wide, points; else null. */
  readonly pitch: number | null
}

/** What a column holds, from top to bottom: runs of lines, and tables between them. */
export type ColumnPart = { readonly lines: readonly Line[] } | { readonly table: RuledTable }

const BOLD_SHARE = 0.9
/** Characters of a monospaced line are equally wide within this share; words of other fonts differ by some 10 %. */
const PITCH_WITHIN = 0.012

/** Lines of one column, and its tables where they stand. */
export function formLines(column: readonly Fragment[], page: number, number: number): ColumnPart[] {
  const tables = column.filter((item) => item.table !== null).sort((a, b) => middleOf(a) - middleOf(b))
  const lines = formRows(column.filter((item) => item.table === null)).map((row) => lineOf(row, page, number))
  const parts: ColumnPart[] = []
  let at = 0
  for (const item of tables) {
    const start = at
    while (at < lines.length && middleOf(lines[at] ?? item) < middleOf(item)) at++
    if (at > start) parts.push({ lines: lines.slice(start, at) })
    if (item.table) parts.push({ table: item.table })
  }
  if (at < lines.length) parts.push({ lines: lines.slice(at) })
  return parts
}

/** One line of these fragments, which stand from left to right. */
function lineOf(cells: readonly Fragment[], page: number, column: number): Line {
  const [first] = cells
  const words = first && cells.length === 1 ? first.words : cells.flatMap((cell) => cell.words)
  const box = boxAround(cells)
  const style = styleOf(words)
  return { x0: box.x0, y0: box.y0, x1: box.x1, y1: box.y1, page, column, cells, words, ...style }
}

function styleOf(words: readonly PlacedWord[]): Pick<Line, "fontSize" | "bold" | "baseline" | "pitch"> {
  const size = words[0]?.fontSize ?? 0
  const bottom = words[0]?.y1 ?? 0
  let [letters, bold] = [0, 0]
  let [sameSize, sameBottom] = [true, true]
  for (const word of words) {
    letters += word.text.length
    if (word.bold) bold += word.text.length
    if (word.fontSize !== size) sameSize = false
    if (word.y1 !== bottom) sameBottom = false
  }
  return {
    fontSize: sameSize ? roundSize(size) : usualSize(words),
    bold: bold > BOLD_SHARE * letters,
    baseline: sameBottom ? bottom : median(words.map((word) => word.y1)),
    pitch: pitchOf(words),
  }
}

/** Words of one cell of a ruled table as lines. */
export function cellLines(words: readonly PlacedWord[], page: number, column: number): Line[] {
  return formRows(words).map((row) => {
    const fragment = { ...boxAround(row), words: row, table: null }
    return lineOf([fragment], page, column)
  })
}

/** Font size of the most letters, to half a point. */
function usualSize(words: readonly PlacedWord[]): number {
  const letters = new Map<number, number>()
  for (const word of words) {
    const size = roundSize(word.fontSize)
    letters.set(size, (letters.get(size) ?? 0) + word.text.length)
  }
  let best: readonly [size: number, letters: number] = [0, 0]
  for (const [size, count] of letters) if (count > best[1]) best = [size, count]
  return best[0]
}

function roundSize(size: number): number {
  return Math.round(size * 2) / 2
}

/** Digits are equally wide in most fonts: only words with letters tell. */
function pitchOf(words: readonly PlacedWord[]): number | null {
  let least = Infinity
  let most = 0
  for (const word of words) {
    const { text } = word
    const pitch = widthOf(word) / text.length
    if (pitch >= least && pitch <= most) continue
    if (!/\p{L}/u.test(text)) continue
    if (pitch < least) least = pitch
    if (pitch > most) most = pitch
    if (most - least > PITCH_WITHIN * most) return null
  }
  return most > 0 ? (least + most) / 2 : null
}

/** Successive lines of one text are at most so many font sizes apart; where all are further, each stands alone. */
const LEADING_MAX = 2.5

/** The usual distance between successive baselines, points; the lines' height where there is only one. */
export function usualLeading(lines: readonly Line[]): number {
  const steps = lines.slice(1).map((line, i) => line.baseline - (lines[i]?.baseline ?? 0))
  const usual = median(steps.filter((step) => step > 0)) || median(lines.map(heightOf))
  return Math.min(usual, LEADING_MAX * median(lines.map((line) => line.fontSize)))
}
