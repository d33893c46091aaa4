import type { Region } from "../shapes.ts"

/** A chunk as chunking makes it, before it has an id. */
export interface AssembledChunk {
  readonly kind: "text" | "table" | "figure" | "heading"
  readonly content: string
  /** One for each page and column that it touches, in reading order; 0 to 1 of the page as displayed. */
  readonly regions: readonly Region[]
  /** Headings over it, the highest first. */
  readonly headings: readonly string[]
  /** Index into the document's parents; null in flat mode and where parents are off. */
  readonly parent: number | null
  /** Number of the table that it is a part of, from 1 in reading order; null for all else. */
  readonly table: number | null
}

/** What a parent's reader gets: the children of a section in one text. */
export interface AssembledParent {
  readonly content: string
  readonly regions: readonly Region[]
  readonly headings: readonly string[]
}

/** A table as it is served, stitched where it crosses pages. */
export interface AssembledTable {
  /** From 1, in reading order. */
  readonly number: number
  readonly rows: readonly (readonly string[])[]
  readonly headerRows: number
  readonly firstPage: number | null
  readonly lastPage: number | null
}

/** A document in chunks, ready for languages, ids and vectors. */
export interface AssembledDocument {
  readonly chunks: readonly AssembledChunk[]
  readonly parents: readonly AssembledParent[]
  readonly tables: readonly AssembledTable[]
}
