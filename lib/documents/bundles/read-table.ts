import { parse } from "csv-parse/sync"
import { AppError } from "../../errors.ts"

/** Cells of one table. */
const CELLS_MAX = 200_000
/** Characters of one row. */
const ROW_CHARS_MAX = 1_000_000

/**
 * Rows of a CSV file (RFC 4180, commas), the short ones filled up. Throws `invalid_request` for what is none, or has
 * more cells than a table may.
 */
export function readTable(text: string): string[][] {
  let cells = 0
  let rows: string[][]
  try {
    rows = parse(text, {
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: ROW_CHARS_MAX,
      on_record: (record: string[]) => {
        cells += record.length
        if (cells > CELLS_MAX) throw new AppError("invalid_request", `holds more than ${CELLS_MAX} cells`)
        return record
      },
    }) as string[][]
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError("invalid_request", "is not valid CSV (a quote is open, or a row is too long)", { cause: error })
  }
  const columns = Math.max(0, ...rows.map((row) => row.length))
  if (columns === 0) throw new AppError("invalid_request", "holds no row")
  if (columns * rows.length > CELLS_MAX) throw new AppError("invalid_request", `holds more than ${CELLS_MAX} cells`)
  if (text.includes("\u0000")) throw new AppError("invalid_request", "must not contain NUL characters")
  return rows.map((row) => [...row, ...new Array<string>(columns - row.length).fill("")])
}
