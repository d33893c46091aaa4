import { overlapDown } from "./boxes.ts"
import type { TableRow } from "./draft.ts"

/** Lines that all cells of a row have before they are rows: two may be a wrapped text in each. */
const LINES_MIN = 3

/** Rows between the same two ruling lines, where all its cells have as many lines at the same heights; else the row. */
export function unstackRow(row: TableRow): TableRow[] {
  const filled = row.filter((cell) => cell.length > 0)
  const [first] = filled
  if (!first || filled.length < 2 || first.length < LINES_MIN) return [row]
  const isStacked = filled.every(
    (cell) => cell.length === first.length && cell.every((line, i) => overlapDown(line, first[i] ?? line) > 0),
  )
  return isStacked ? first.map((_, i) => row.map((cell) => cell.slice(i, i + 1))) : [row]
}
