import type { Box, PageText, TextSource, Word } from "../page.ts"

/** A page that a job has read, as it is kept until the document is published. */
export interface PageDraft {
  readonly number: number
  /** Null of a page that could not be read; `warning` says why. */
  readonly text: PageText | null
  readonly imageKey: string | null
  readonly warning: string | null
}

/** A row of `page_drafts`. */
export interface PageDraftRow {
  readonly number: number
  readonly width: number | null
  readonly height: number | null
  readonly image_key: string | null
  readonly source: TextSource
  readonly confidence: number | null
  readonly content: string
  readonly warning: string | null
}

/** Words as arrays, positions to a hundredth of a point: about 45 bytes a word in place of 130. */
type PackedWord = readonly [...PackedBox, text: string, fontSize: number, flags: number]
type PackedBox = readonly [x0: number, y0: number, x1: number, y1: number]

interface Packed {
  readonly words: readonly PackedWord[]
  readonly figures: readonly PackedBox[]
  readonly rules: readonly PackedBox[]
}

const BOLD = 1
const HYPHENATED = 2

/** The draft as a row. */
export function packPage({ number, text, imageKey, warning }: PageDraft): PageDraftRow {
  const packed: Packed = {
    words: text?.words.map(packWord) ?? [],
    figures: text?.figures.map(packBox) ?? [],
    rules: text?.rules.map(packBox) ?? [],
  }
  return {
    number,
    width: text?.width ?? null,
    height: text?.height ?? null,
    image_key: imageKey,
    source: text?.source ?? "none",
    confidence: text?.confidence ?? null,
    content: JSON.stringify(packed),
    warning,
  }
}

/** The page of a row; null of one that could not be read. Words read back within .005 points of where they were. */
export function unpackPage(row: PageDraftRow): PageText | null {
  if (row.width === null || row.height === null) return null
  const { words, figures, rules } = JSON.parse(row.content) as Packed
  return {
    number: row.number,
    width: row.width,
    height: row.height,
    source: row.source,
    confidence: row.confidence,
    words: words.map(unpackWord),
    figures: figures.map(unpackBox),
    rules: rules.map(unpackBox),
  }
}

const rounded = (points: number): number => Math.round(points * 100) / 100

const packBox = ({ x0, y0, x1, y1 }: Box): PackedBox => [rounded(x0), rounded(y0), rounded(x1), rounded(y1)]

const unpackBox = ([x0, y0, x1, y1]: PackedBox): Box => ({ x0, y0, x1, y1 })

function packWord(word: Word): PackedWord {
  const flags = (word.bold ? BOLD : 0) | (word.hyphenated ? HYPHENATED : 0)
  return [...packBox(word), word.text, rounded(word.fontSize), flags]
}

function unpackWord([x0, y0, x1, y1, text, fontSize, flags]: PackedWord): Word {
  return { x0, y0, x1, y1, text, fontSize, bold: (flags & BOLD) !== 0, hyphenated: (flags & HYPHENATED) !== 0 }
}
