import type { Block, ReadDocument } from "../block.ts"
import { unreadable } from "./document-errors.ts"

/**
 * Bounds of one document without pages. A book has 5,000 paragraphs and 1,000,000 characters; what is over these is
 * left out with a warning.
 */
export const FLOW_LIMITS = {
  blocksMax: 100_000,
  charsMax: 32_000_000,
  /** All tables together. */
  cellsMax: 1_000_000,
  /** Of one table. */
  rowsMax: 100_000,
  columnsMax: 500,
} as const

/** Takes a document's blocks one by one, cleans their text and holds them to `FLOW_LIMITS`. */
export interface BlockWriter {
  /** `level` from 1. White space becomes single spaces; nothing is written where no text is left. */
  heading(level: number, text: string): void
  /** A paragraph or a list: line breaks stay, other white space becomes single spaces but at the head of a line. */
  text(text: string): void
  /** Text whose white space means something: code. */
  preformatted(text: string): void
  /** Rows may be ragged. Empty rows and columns at the end are dropped, line breaks in cells become spaces. */
  table(rows: readonly (readonly string[])[], headerRows: number): void
  figure(text: string): void
  /** Counts one thing that is left out; `finish` makes one warning of each kind: "3 <what> were left out." */
  leaveOut(what: string, count?: number): void
  /** A sentence for the uploader. */
  warn(message: string): void
  /** Blocks written so far. */
  count(): number
  /** Throws `document_unreadable` where nothing has text. */
  finish(about?: { title?: string | null | undefined; language?: string | null | undefined }): ReadDocument
}

/** A writer for one document. */
export function createBlockWriter(): BlockWriter {
  const blocks: Block[] = []
  const warnings = new Set<string>()
  const leftOut = new Map<string, number>()
  let chars = 0
  let cells = 0

  const leaveOut = (what: string, count = 1): void => {
    if (count > 0) leftOut.set(what, (leftOut.get(what) ?? 0) + count)
  }
  const write = (kind: Block["kind"], level: number, text: string, table: Block["table"] = null): void => {
    if (text === "" && kind !== "figure") return
    if (blocks.length >= FLOW_LIMITS.blocksMax || chars + text.length > FLOW_LIMITS.charsMax) {
      leaveOut("paragraphs, headings or tables past the end of what is read")
      return
    }
    chars += text.length
    blocks.push({ kind, level, text, table, spans: [] })
  }
  const table = (rows: readonly (readonly string[])[], headerRows: number): void => {
    const grid = squareTable(rows, FLOW_LIMITS.cellsMax - cells)
    leaveOut("rows of tables", grid.rowsLeft)
    leaveOut("columns of tables", grid.columnsLeft)
    if (grid.rows.length === 0) return
    cells += grid.rows.length * (grid.rows[0]?.length ?? 0)
    const text = grid.rows.map((row) => row.join(" | ")).join("\n")
    write("table", 0, text, { rows: grid.rows, headerRows: Math.min(headerRows, grid.rows.length) })
  }
  return {
    heading: (level, text) => write("heading", Math.max(1, Math.round(level)), oneLine(text)),
    text: (text) => write("text", 0, tidyLines(text)),
    preformatted: (text) => write("text", 0, cleanText(text).replace(/^\n+/, "").trimEnd()),
    table,
    figure: (text) => write("figure", 0, tidyLines(text)),
    leaveOut,
    warn: (message) => void warnings.add(message),
    count: () => blocks.length,
    finish({ title, language } = {}) {
      if (!blocks.some((block) => block.text !== "")) throw unreadable("The file holds no text.")
      return {
        title: oneLine(title ?? "").slice(0, 500) || null,
        language: languageTag(language),
        blocks,
        pages: [],
        warnings: [...warnings, ...Array.from(leftOut, ([what, count]) => `Left out: ${count} ${what}.`)],
      }
    },
  }
}

/** Rows of equal length without what is over the bounds, and how much that was. */
function squareTable(rows: readonly (readonly string[])[], cellsLeft: number) {
  const clean = rows.map((row) => row.map(oneLine))
  while (clean.at(-1)?.every((cell) => cell === "")) clean.pop()
  let width = 0
  for (const row of clean) {
    let length = row.length
    while (length > 0 && row[length - 1] === "") length--
    width = Math.max(width, length)
  }
  const columns = Math.min(width, FLOW_LIMITS.columnsMax)
  const height = Math.min(clean.length, FLOW_LIMITS.rowsMax, columns === 0 ? 0 : Math.floor(cellsLeft / columns))
  const square = clean
    .slice(0, height)
    .map((row) => (row.length === columns ? row : Array.from({ length: columns }, (_, column) => row[column] ?? "")))
  return { rows: square, rowsLeft: columns === 0 ? 0 : clean.length - height, columnsLeft: width - columns }
}

/**
 * Without what no reader sees and PostgreSQL or a search trips over: NUL and other control characters, halves of
 * surrogate pairs, soft hyphens and zero-width spaces inside words. Line breaks are `\n`.
 */
export function cleanText(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/\r\n?|[\u0085\u2028\u2029\f\v]/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
      .replace(/[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u00AD\u200B\uFEFF\uFFFE\uFFFF]/g, "")
      .replace(/[\u00A0\u202F\u2007]/g, " ")
  )
}

/** Clean, and all white space a single space. */
export function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim()
}

/** Clean lines: white space within them single spaces, that before them kept, at most one empty line at a time. */
function tidyLines(text: string): string {
  const lines: string[] = []
  for (const line of cleanText(text).split("\n")) {
    const content = line.trim()
    if (content === "" && (lines.length === 0 || lines.at(-1) === "")) continue
    const indent = Math.min(line.length - line.trimStart().length, 40)
    lines.push(content === "" ? "" : " ".repeat(indent) + content.replace(/\s+/g, " "))
  }
  return lines.join("\n").trim()
}

/** The tag in its canonical form, or null where it is none. */
function languageTag(language: string | null | undefined): string | null {
  const tag = (language ?? "").trim().replaceAll("_", "-")
  if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}$/.test(tag)) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}
