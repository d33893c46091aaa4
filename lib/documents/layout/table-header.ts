import type { TableRow } from "./draft.ts"

const HEADER_ROWS_MAX = 3
/** Digits with what stands around them in figures: signs, currencies, units of one or two letters. */
const FIGURE = /^[^\p{L}]*\d[^\p{L}]*\p{L}{0,2}$/u

/**
 * Rows at the top that name the columns: those that are bold over others that aren't; else the first one, where it has
 * no figure but a row below has one. A table without either has no head.
 */
export function headerRowsOf(rows: readonly TableRow[]): number {
  const bold = rows.map(isBold)
  const first = bold.indexOf(false)
  if (first > 0 && first <= HEADER_ROWS_MAX) return first
  if (rows.length < 2 || first < 0) return rows.length > 1 ? 1 : 0
  const top = rows[0] ?? []
  const named = top.filter((cell) => cell.length > 0).length * 2 > top.length && !top.some(isFigure)
  return named && rows.slice(1).some((row) => row.some(isFigure)) ? 1 : 0
}

function isBold(row: TableRow): boolean {
  const lines = row.flat()
  return lines.length > 0 && lines.every((line) => line.words.every((word) => word.bold))
}

function isFigure(cell: TableRow[number]): boolean {
  const text = cell.flatMap((line) => line.words.map((word) => word.text)).join("")
  return FIGURE.test(text)
}
