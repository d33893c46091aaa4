import type { Box } from "./page.ts"

/** A word of a block's text, and where it stands. Coordinates are points on its page. */
export interface Span extends Box {
  /** Offsets into the block's text, the end after the last character. */
  readonly start: number
  readonly end: number
  /** From 1. */
  readonly page: number
  /** Counts the columns (leaves of the XY-cut) over all pages: words of two columns never share a region. */
  readonly column: number
}

/**
 * A run of a document in reading order, as every format comes down to it: a paragraph, a heading, a table, a figure.
 * Formats without pages have no spans.
 */
export interface Block {
  readonly kind: "heading" | "text" | "table" | "figure"
  /** Of a heading: 1 is the highest. Of all else 0. */
  readonly level: number
  /** Of a table: its rows as lines, cells apart by ` | `. Of a figure: its caption, alternative text, or nothing. */
  readonly text: string
  /** Cells of a table, all rows equally long; the first `headerRows` are its head. Null for all else. */
  readonly table: { readonly rows: readonly (readonly string[])[]; readonly headerRows: number } | null
  /** In order of `start`. Of a figure the first is its picture, from 0 to 0; its caption's words follow. */
  readonly spans: readonly Span[]
}

/** Size of a page in points, which turns spans into regions. */
export interface PageSize {
  readonly number: number
  readonly width: number
  readonly height: number
}

/** A file as every format comes down to it. */
export interface ReadDocument {
  /** As the file itself gives it; null where it gives none. */
  readonly title: string | null
  /** BCP 47, as the file itself declares it. */
  readonly language: string | null
  readonly blocks: readonly Block[]
  /** Empty for formats without pages. */
  readonly pages: readonly PageSize[]
  /** What was left out or cut, for the uploader. */
  readonly warnings: readonly string[]
}
