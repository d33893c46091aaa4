import type { Mark } from "./excerpt.ts"

/** A piece of a passage with the marks in it, offsets of its own. */
export interface Piece {
  readonly text: string
  readonly marks: readonly Mark[]
}

/** A passage as it is read: running text, and rows of cells where it has `a | b` lines. */
export type Block =
  | { readonly kind: "text"; readonly piece: Piece }
  | { readonly kind: "table"; readonly rows: readonly Piece[][] }

/** Parts running text from tables: two or more lines after another that have the same sort of bars. */
export function passageBlocks(text: string, marks: readonly Mark[]): readonly Block[] {
  const blocks: Block[] = []
  let at = 0
  for (const lines of runs(text.split("\n"))) {
    const length = lines.join("\n").length
    const isTable = lines.length > 1 && isRow(lines[0] ?? "")
    if (isTable) blocks.push({ kind: "table", rows: rowsOf(text, lines, at, marks) })
    else if (lines.some((line) => line.trim() !== ""))
      blocks.push({ kind: "text", piece: pieceOf(text, at, at + length, marks) })
    at += length + 1
  }
  return blocks
}

/** The paragraphs of a piece: what empty lines part. */
export function paragraphsOf({ text, marks }: Piece): readonly Piece[] {
  const paragraphs: Piece[] = []
  let from = 0
  for (const gap of [...text.matchAll(/\n[^\S\n]*(?:\n\s*)+/g), { 0: "", index: text.length }]) {
    if (gap.index > from) paragraphs.push(pieceOf(text, from, gap.index, marks))
    from = gap.index + gap[0].length
  }
  return paragraphs
}

const isRow = (line: string) => line.includes(" | ") || /^\|.*\|$/.test(line.trim())

/** `|---|---|`: Markdown's line under the head. */
const isRule = (line: string) => /^[\s|:-]+$/.test(line) && line.includes("-")

/** Lines that belong together: rows with rows, others with others. */
function runs(lines: readonly string[]): readonly string[][] {
  const found: string[][] = []
  for (const line of lines) {
    const last = found.at(-1)
    if (last && isRow(last[0] ?? "") === isRow(line)) last.push(line)
    else found.push([line])
  }
  return found
}

function rowsOf(text: string, lines: readonly string[], from: number, marks: readonly Mark[]): Piece[][] {
  const rows: Piece[][] = []
  let at = from
  for (const line of lines) {
    if (!isRule(line)) rows.push(cellsOf(text, line, at, marks))
    at += line.length + 1
  }
  return rows
}

function cellsOf(text: string, line: string, from: number, marks: readonly Mark[]): Piece[] {
  const inner = /^\s*\|?(.*?)\|?\s*$/.exec(line)?.[1] ?? line
  let at = from + line.indexOf(inner)
  return inner.split("|").map((cell) => {
    const start = at + (cell.length - cell.trimStart().length)
    at += cell.length + 1
    return pieceOf(text, start, start + cell.trim().length, marks)
  })
}

function pieceOf(text: string, from: number, to: number, marks: readonly Mark[]): Piece {
  return {
    text: text.slice(from, to),
    marks: marks
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => ({ start: start - from, end: end - from })),
  }
}
