import type { Box } from "../page.ts"
import type { Line } from "./lines.ts"

/** A block before its text is composed. */
export type Draft = TextDraft | TableDraft | FigureDraft

export interface TextDraft {
  readonly kind: "text"
  /** `list`: a part is an item; `code`: a part is a line, its spaces kept; else there is one part. */
  readonly form: "paragraph" | "list" | "code"
  /** Lines of a part flow into each other; parts stand on lines of their own. */
  readonly parts: readonly (readonly Line[])[]
}

export interface TableDraft {
  readonly kind: "table"
  readonly rows: readonly TableRow[]
  readonly headerRows: number
  /** Of its part on the first page and on the last one. */
  readonly first: Box
  readonly last: Box
}

/** Cells of a row from left to right, each with its lines. */
export type TableRow = readonly (readonly Line[])[]

export interface FigureDraft {
  readonly kind: "figure"
  readonly page: number
  readonly column: number
  readonly box: Box
  readonly caption: readonly Line[]
}

/** All lines of a text. */
export function linesOf(draft: TextDraft): readonly Line[] {
  return draft.parts.length === 1 ? (draft.parts[0] ?? []) : draft.parts.flat()
}
