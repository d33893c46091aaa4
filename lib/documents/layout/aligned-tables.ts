import { boxAround, centreOf, countUpTo, median } from "./boxes.ts"
import type { TableDraft, TableRow } from "./draft.ts"
import { type Line, usualLeading } from "./lines.ts"
import { headerRowsOf } from "./table-header.ts"

/** Rows with at least two cells that make a table; two lines may happen to align. */
const ROWS_MIN = 3
/** Columns are apart by this share of the font size, in every row. */
const GUTTER_MIN = 0.7
/** A row this many usual leadings below the last one begins something else. */
const LEADING_MAX = 3
/** Of the rows, at least so many have two cells or more. */
const ROWS_SHARE_MIN = 0.5
/** Words in a cell on average: more are columns of text. */
const CELL_WORDS_MAX = 12
/** Gutters that are followed down; no table on a page has as many. */
const GUTTERS_MAX = 200
/** Letters and numbers that number a list's items. */
const MARKER = /^(?:[•◦▪‣●○■–—*-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]?|\d+(?:\.\d+)+\.?|\[\w{1,6}\])$/u
/** Dots that lead the eye to a page number: a list of contents. */
const LEADERS = /(?:\.\s?){4,}/

/** Runs of lines, and the tables among them whose columns stand apart without ruling lines. */
export function findAlignedTables(lines: readonly Line[]): (readonly Line[] | TableDraft)[] {
  const found: (readonly Line[] | TableDraft)[] = []
  const leading = usualLeading(lines)
  let start = 0
  for (let at = 0; at < lines.length; ) {
    const run = startsTable(lines[at]) ? takeRows(lines, at, leading) : null
    const table = run && tableOf(run, leading)
    const length = run?.lines.length ?? 1
    if (table) {
      if (at > start) found.push(lines.slice(start, at))
      found.push(table)
      start = at + length
    }
    // Past what is no table too: from each of its lines anew, the time would grow with the square of their number.
    at += length
  }
  if (start < lines.length) found.push(lines.slice(start))
  return found
}

function startsTable(line: Line | undefined): boolean {
  return line !== undefined && line.cells.length > 1 && !LEADERS.test(textOf(line))
}

function textOf(line: Line): string {
  return line.words.map((word) => word.text).join(" ")
}

type Gap = readonly [start: number, end: number]

interface Rows {
  readonly lines: readonly Line[]
  readonly gutters: readonly Gap[]
}

/** Lines from `from` on as long as a gap goes through all of them, down to the last one that has two cells. */
function takeRows(lines: readonly Line[], from: number, leading: number): Rows | null {
  let gutters: Gap[] = [[-Infinity, Infinity]]
  let [left, right] = [Infinity, -Infinity]
  let end = from
  let shared: Gap[] = []
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]
    const above = lines[at - 1]
    if (!line || (at > from && above && line.baseline - above.baseline > LEADING_MAX * leading)) break
    if (LEADERS.test(textOf(line))) break
    gutters = intersect(gutters, freeOf(line), GUTTER_MIN * line.fontSize).slice(0, GUTTERS_MAX)
    left = Math.min(left, line.x0)
    right = Math.max(right, line.x1)
    const inner = gutters.filter(([start, end]) => start >= left && end <= right)
    if (inner.length === 0) break
    if (line.cells.length > 1) {
      end = at + 1
      shared = inner
    }
  }
  return end > from ? { lines: lines.slice(from, end), gutters: shared } : null
}

function freeOf(line: Line): Gap[] {
  const gaps: Gap[] = []
  let end = -Infinity
  for (const cell of line.cells) {
    gaps.push([end, cell.x0])
    end = cell.x1
  }
  gaps.push([end, Infinity])
  return gaps
}

/** What is free in both, at least so wide; both ascend. */
function intersect(a: readonly Gap[], b: readonly Gap[], widthMin: number): Gap[] {
  const shared: Gap[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [p, q] = [a[i], b[j]]
    if (!p || !q) break
    const start = Math.max(p[0], q[0])
    const end = Math.min(p[1], q[1])
    if (end - start >= widthMin) shared.push([start, end])
    if (p[1] < q[1]) i++
    else j++
  }
  return shared
}

function tableOf({ lines, gutters }: Rows, leading: number): TableDraft | null {
  const several = lines.filter((line) => line.cells.length > 1)
  if (several.length < ROWS_MIN || several.length < ROWS_SHARE_MIN * lines.length) return null
  const edges = gutters.map(([start, end]) => (start + end) / 2)
  const rows = lines.map((line) => cellsOf(line, edges))
  const filled = rows.flat().filter((cell) => cell.length > 0)
  const words = filled.reduce((sum, cell) => sum + (cell[0]?.words.length ?? 0), 0)
  if (words > CELL_WORDS_MAX * filled.length || isList(rows)) return null
  const joined = joinWrapped(rows, lines, leading)
  const box = boxAround(lines)
  return { kind: "table", rows: joined, headerRows: headerRowsOf(joined), first: box, last: box }
}

function cellsOf(line: Line, edges: readonly number[]): TableRow {
  const cells: Line[][] = Array.from({ length: edges.length + 1 }, () => [])
  for (const cell of line.cells) {
    const column = cells[countUpTo(edges, centreOf(cell))]
    const before = column?.[0]
    // Two fragments of one cell: a wide space within it.
    if (before) column.splice(0, 1, part(line, [...before.cells, cell]))
    else column?.push(part(line, [cell]))
  }
  return cells
}

function part(line: Line, cells: Line["cells"]): Line {
  return { ...line, ...boxAround(cells), cells, words: cells.flatMap((cell) => cell.words) }
}

/** Two columns, the first of which only numbers the second. */
function isList(rows: readonly TableRow[]): boolean {
  const first = rows.flatMap((row) => row[0]?.[0] ?? [])
  return rows[0]?.length === 2 && first.every((line) => MARKER.test(textOf(line)))
}

/** A row that starts empty and close below the last one goes on with its cells. */
function joinWrapped(rows: readonly TableRow[], lines: readonly Line[], leading: number): TableRow[] {
  const step = Math.max(leading, median(lines.map((line) => line.fontSize)))
  const joined: TableRow[] = []
  for (const [i, row] of rows.entries()) {
    const last = joined.at(-1)
    const down = (lines[i]?.baseline ?? 0) - (lines[i - 1]?.baseline ?? 0)
    if (last && row[0]?.length === 0 && down <= 1.3 * step) {
      joined.splice(
        -1,
        1,
        last.map((cell, column) => [...cell, ...(row[column] ?? [])]),
      )
    } else joined.push(row)
  }
  return joined
}
