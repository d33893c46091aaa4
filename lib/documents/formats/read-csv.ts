import { type Options, parse } from "csv-parse/sync"
import type { ReadDocument } from "../block.ts"
import { createBlockWriter, FLOW_LIMITS } from "./block-writer.ts"
import { decodeText } from "./decode-text.ts"
import { unreadable } from "./document-errors.ts"
import { sniffDelimiter } from "./sniff-delimiter.ts"
import { detectHeader } from "./table-grid.ts"

/** A quote that is never closed would make the rest of the file one field. */
const FIELD_BYTES_MAX = 1 << 18

const LINE_FEED = 0x0a

interface Records {
  readonly rows: string[][]
  readonly rowsLeft: number
}

/**
 * Reads comma-separated values, or those apart by semicolons, tabs or bars, into one table. Its first row is the head where
 * it reads like names. Short rows are filled up, with a warning; quotes that don't fit are taken as they stand.
 */
export function readCsv(bytes: Uint8Array): ReadDocument {
  const writer = createBlockWriter()
  let text = decodeText(bytes)
  const declared = /^sep=(.)\r?\n/.exec(text)
  if (declared) text = text.slice(declared[0].length)
  const delimiter = declared?.[1] ?? sniffDelimiter(text)
  const { rows, rowsLeft } = parseQuoted(text, delimiter) ?? parseUnquoted(text, delimiter)
  if (rows.length === 0) throw unreadable("The file holds no text.")
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const ragged = rows.filter((row) => row.length !== width).length
  if (ragged > 0) writer.warn(`${ragged} rows have fewer cells than the longest; they were filled up with empty ones.`)
  writer.leaveOut("rows of tables", rowsLeft)
  writer.table(rows, detectHeader(rows, true))
  return writer.finish()
}

/** Null where the quotes make no sense. */
function parseQuoted(text: string, delimiter: string): Records | null {
  try {
    return parseRecords(text, { delimiter, relax_quotes: true, max_record_size: FIELD_BYTES_MAX })
  } catch {
    return null
  }
}

function parseUnquoted(text: string, delimiter: string): Records {
  try {
    return parseRecords(text, { delimiter, quote: null, max_record_size: FIELD_BYTES_MAX })
  } catch {
    throw unreadable("The file is no table: it has a row of over 256 KiB.")
  }
}

/** Ends a parse; never leaves this file. */
const FULL = new Error("full")

function parseRecords(text: string, options: Options): Records {
  const bytes = Buffer.from(text)
  const rows: string[][] = []
  let cells = 0
  let bytesRead = 0
  try {
    parse(bytes, {
      ...options,
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record(record: string[], { bytes: end }) {
        if (rows.length >= FLOW_LIMITS.rowsMax || cells > FLOW_LIMITS.cellsMax) throw FULL
        bytesRead = end
        cells += record.length
        if (record.some((cell) => cell.trim() !== "")) rows.push(record)
        return null
      },
    })
  } catch (error) {
    if (error !== FULL) throw error
    // Counted by lines: to parse the rest takes 11 s for a million rows.
    return { rows, rowsLeft: countLines(bytes.subarray(bytesRead)) }
  }
  return { rows, rowsLeft: 0 }
}

function countLines(bytes: Uint8Array): number {
  let lines = bytes.at(-1) === LINE_FEED ? 0 : 1
  for (const byte of bytes) if (byte === LINE_FEED) lines++
  return lines
}
