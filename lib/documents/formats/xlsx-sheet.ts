import { FLOW_LIMITS } from "./block-writer.ts"
import { type Attributes, scanMarkup } from "./scan-markup.ts"
import { type CellStyles, cellText } from "./xlsx-cells.ts"

/** A sheet's cells that hold anything. */
export interface Sheet {
  /** Rows in order, each from the number of a column (A is 1) to a text. Empty ones are left out. */
  readonly rows: readonly ReadonlyMap<number, string>[]
  readonly rowsLeft: number
  readonly formulasWithoutValue: number
}

const COLUMNS_MAX = 16_384
/** Cells that all merged ranges together may be repeated into. */
const MERGED_MAX = 200_000
const RANGE = /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/

/** A cell while it is read. */
interface Cell {
  readonly column: number
  readonly type: string
  readonly style: number
  value: string
  hasValue: boolean
  hasFormula: boolean
}

/**
 * Reads a sheet from front to back. Rows and cells without a place follow the one before. A cell merged over several rows
 * is repeated in each, where the row holds anything.
 */
export function readSheet(text: string, strings: readonly string[], styles: CellStyles): Sheet {
  const rows = new Map<number, Map<number, string>>()
  const merges: string[] = []
  let rowNumber = 0
  let column = 0
  let cells = 0
  let rowsLeft = 0
  let formulasWithoutValue = 0
  let cell: Cell | null = null
  let part = ""
  let isAid = false

  const keep = ({ type, style, value, hasValue, hasFormula, column: place }: Cell): void => {
    const shown = hasValue ? cellText(type, value, style, strings, styles).trim() : ""
    if (hasFormula && !hasValue) formulasWithoutValue++
    if (shown === "") return
    const row = rows.get(rowNumber)
    if (row) row.set(place, shown)
    else if (rows.size >= FLOW_LIMITS.rowsMax || cells >= FLOW_LIMITS.cellsMax) {
      rowsLeft++
      // The next cell of this row must not count again.
      lastLeft = rowNumber
    } else rows.set(rowNumber, new Map([[place, shown]]))
    cells++
  }
  let lastLeft = 0
  scanMarkup(text, true, {
    open(name, attributes, selfClosing) {
      if (name === "row") {
        rowNumber = Number.parseInt(attributes["r"] ?? "", 10) || rowNumber + 1
        column = 0
      } else if (name === "c") {
        column = columnOf(attributes["r"]) ?? column + 1
        cell = selfClosing ? null : startCell(attributes, column)
      } else if (name === "mergeCell") merges.push(attributes["ref"] ?? "")
      else if (name === "rPh") isAid = !selfClosing
      else if (cell && name === "f") cell.hasFormula = true
      part = selfClosing ? "" : name
    },
    close(name) {
      if (name === "c" && cell) {
        if (rowNumber !== lastLeft) keep(cell)
        cell = null
      }
      if (name === "rPh") isAid = false
      part = ""
    },
    text(value) {
      if (!cell || isAid || (part !== "v" && part !== "t")) return
      cell.value += value
      cell.hasValue = true
    },
  })
  repeatMerged(rows, merges)
  return { rows: [...rows.values()], rowsLeft, formulasWithoutValue }
}

function startCell(attributes: Attributes, column: number): Cell {
  return {
    column,
    type: attributes["t"] ?? "n",
    style: Number.parseInt(attributes["s"] ?? "0", 10) || 0,
    value: "",
    hasValue: false,
    hasFormula: false,
  }
}

/** 28 for `AB12`; undefined where it names no column that a sheet has. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^\$?([A-Z]{1,3})/i.exec(reference ?? "")?.[1]
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return column <= COLUMNS_MAX ? column : undefined
}

function repeatMerged(rows: ReadonlyMap<number, Map<number, string>>, merges: readonly string[]): void {
  let left = MERGED_MAX
  for (const merge of merges) {
    const range = RANGE.exec(merge)
    const column = columnOf(range?.[1])
    const [top, bottom] = [Number(range?.[2]), Number(range?.[4])]
    if (column === undefined || !(bottom > top)) continue
    const shown = rows.get(top)?.get(column)
    if (shown === undefined) continue
    for (let number = top + 1; number <= bottom && left > 0; number++, left--) {
      const row = rows.get(number)
      if (row && !row.has(column)) row.set(column, shown)
    }
  }
}
