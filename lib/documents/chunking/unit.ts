import type { AssembledChunk } from "../assembled-document.ts"

/** A part of a block's text. */
export interface Slice {
  /** Index of the block. */
  readonly block: number
  readonly start: number
  readonly end: number
}

/** What a text costs: of a child, of a parent, and in characters. */
export interface Size {
  readonly child: number
  readonly parent: number
  readonly chars: number
}

/** The head that every part of a table repeats. */
export interface TableHead {
  /** From 1 in reading order. */
  readonly number: number
  /** Empty where the table has none. */
  readonly text: string
  readonly size: Size
}

/** What chunks are packed of, and never cut again: a paragraph or a part of one, a row of a table, a caption. */
export interface Unit {
  readonly kind: AssembledChunk["kind"]
  /** Headings that ride with it. */
  readonly lead: readonly Slice[]
  readonly body: Slice
  /** Of the body; of a part of a row, its cells with their names. */
  readonly text: string
  /** Of lead and body, with what joins them to the unit before. */
  readonly size: Size
  /** 1 to 6: a heading of that level begins here; 7: a block does; 8: it goes on with the block of the unit before. */
  readonly level: number
  /** Headings over it, the highest first. */
  readonly path: readonly string[]
  /** What the path costs where the model reads it too. */
  readonly pathCost: number
  readonly table: TableHead | null
  /** A table's head, where this row is the first below it. */
  readonly head: Slice | null
  /** A part of a row, or a figure: a chunk of its own. */
  readonly alone: boolean
  /** How often the column or the page changes up to its end: what its chunk's regions number at the most. */
  readonly turns: number
}

/** Level of a unit that begins a block, and of one that goes on with it. */
export const BLOCK_LEVEL = 7
export const WITHIN_LEVEL = 8

/**
 * Longest text of a unit, characters; headings and a table's head may take half as much again, each. So no chunk is over
 * `CHUNK_CHARS_MAX`, however many characters a model's token has.
 */
export const UNIT_CHARS_MAX = 15_000
