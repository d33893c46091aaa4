import { FLOW_LIMITS } from "./block-writer.ts"

/** A cell as formats write it: once, with how many columns and rows it covers. */
export interface GridCell {
  readonly text: string
  readonly columns: number
  readonly rows: number
  readonly isHeader: boolean
}

/** A table with a text for every place. */
export interface Grid {
  readonly rows: string[][]
  readonly headerRows: number
  /** Rows that are over the bounds. */
  readonly rowsLeft: number
}

/** Places that spans may cover, counting those that cover each other. */
const PLACES_MAX = 2 * FLOW_LIMITS.cellsMax

/**
 * Lays cells out on a grid. A cell over several rows is repeated in each, so that a row still says what it is about when
 * it is cut off from the first; one over several columns is repeated in the head, and stands once in the body.
 * `headerRows` is how many rows the format marks as head; null: those whose cells all are head cells, else what
 * `detectHeader` says.
 */
export function layOutGrid(rows: readonly (readonly GridCell[])[], headerRows: number | null): Grid {
  const places: (GridCell | undefined)[][] = rows.map(() => [])
  let left = PLACES_MAX
  let height = 0
  for (; height < rows.length && left > 0; height++) {
    const line = places[height] ?? []
    let x = 0
    for (const cell of rows[height] ?? []) {
      while (line[x]) x++
      if (x >= FLOW_LIMITS.columnsMax) break
      left -= place(places, cell, x, height)
      x += Math.max(1, cell.columns)
    }
  }
  places.length = height
  const marked = headerRows ?? markedRows(places)
  const width = places.reduce((widest, line) => Math.max(widest, line.length), 0)
  const texts = places.map((line, y) =>
    Array.from({ length: width }, (_, x) =>
      y >= marked && x > 0 && line[x - 1] === line[x] ? "" : (line[x]?.text ?? ""),
    ),
  )
  const isMarked = marked > 0 || headerRows !== null
  return { rows: texts, headerRows: isMarked ? marked : detectHeader(texts, false), rowsLeft: rows.length - height }
}

/** Puts a cell on every place that it covers within the table; says how many. */
function place(places: (GridCell | undefined)[][], cell: GridCell, x: number, y: number): number {
  const right = Math.min(x + Math.max(1, cell.columns), FLOW_LIMITS.columnsMax)
  const bottom = Math.min(y + Math.max(1, cell.rows), places.length)
  for (const line of places.slice(y, bottom)) {
    for (let column = x; column < right; column++) line[column] ??= cell
  }
  return (right - x) * (bottom - y)
}

function markedRows(places: readonly (readonly (GridCell | undefined)[])[]): number {
  let rows = 0
  for (const row of places) {
    const filled = row.filter((cell) => cell && cell.text !== "")
    if (filled.length === 0 || !filled.every((cell) => cell?.isHeader)) break
    rows++
  }
  // A table of nothing but head cells is one whose author wanted bold type.
  return rows === places.length ? Math.min(rows, 1) : rows
}

const VALUE = /^[-+(]?[$€£R]{0,2}\s?\d[\d.,:/\s'-]*\s?[%)€$]?$/
/** How many rows are looked at: a head shows in the first ones. */
const ROWS_LOOKED_AT = 200

/**
 * Whether the first row names the columns: 1 or 0. It does where all its cells are filled, different and no numbers or
 * dates, and, unless `assumed`, below at least one of them stand only such values.
 */
export function detectHeader(rows: readonly (readonly string[])[], assumed: boolean): number {
  const [head, ...body] = rows.slice(0, ROWS_LOOKED_AT)
  if (!head || body.length === 0 || head.length < 2) return 0
  const names = head.map((cell) => cell.trim())
  // The corner over row names is often empty; in a file that is one table, so is a name here and there.
  const isUsed = (column: number): boolean => body.some((row) => (row[column] ?? "").trim() !== "")
  const unnamed = names.filter((name, column) => name === "" && (column > 0 || assumed) && isUsed(column)).length
  if (unnamed > (assumed ? names.length / 4 : 0)) return 0
  const filled = names.filter((name) => name !== "")
  if (filled.length === 0 || new Set(filled).size < filled.length) return 0
  if (filled.some((name) => VALUE.test(name) || name.length > 200)) return 0
  if (assumed) return 1
  const hasValueColumn = names.some((_, column) => {
    const cells = body.map((row) => row[column]?.trim() ?? "").filter((cell) => cell !== "")
    return cells.length > 0 && cells.every((cell) => VALUE.test(cell))
  })
  return hasValueColumn ? 1 : 0
}
