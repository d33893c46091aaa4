import type { Span } from "../block.ts"
import type { Word } from "../page.ts"
import type { Draft, TableDraft } from "./draft.ts"
import type { Line } from "./lines.ts"
import type { PlacedWord } from "./place-words.ts"

/** A text and where its words stand. */
export interface Composed {
  readonly text: string
  readonly spans: readonly Span[]
}

/** Spaces at the start of a line of code, and between its words. */
const SPACES_MAX = 60
const HYPHEN_AT_END = /[\p{L}\p{N}][-\u00ad\u2010]$/u

/** Words of the document in small letters, without what stands around them: tells whether a hyphen belongs to a word. */
export type Vocabulary = ReadonlySet<string>

/** Every word of the document but for those that a line's end may have cut. */
export function collectVocabulary(words: Iterable<Word>): Vocabulary {
  const vocabulary = new Set<string>()
  for (const word of words) if (!endsWithHyphen(word)) vocabulary.add(bare(word.text))
  return vocabulary
}

function bare(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").toLowerCase()
}

function endsWithHyphen(word: Word): boolean {
  return HYPHEN_AT_END.test(word.text) || (word.hyphenated && /\p{L}.$/u.test(word.text))
}

/** Writes texts and keeps where each word of them stands. */
interface Writer {
  text: string
  readonly spans: Span[]
}

/** Text of a paragraph, list, listing or caption. */
export function composeDraft(draft: Exclude<Draft, TableDraft>, vocabulary: Vocabulary): Composed {
  const writer: Writer = { text: "", spans: [] }
  if (draft.kind === "figure") {
    const { box, page, column } = draft
    writer.spans.push({ start: 0, end: 0, page, column, x0: box.x0, y0: box.y0, x1: box.x1, y1: box.y1 })
    flow(writer, draft.caption, vocabulary)
    return writer
  }
  const left =
    draft.form === "code" ? draft.parts.reduce((least, [line]) => Math.min(least, line?.x0 ?? least), Infinity) : 0
  for (const [i, part] of draft.parts.entries()) {
    if (i > 0) writer.text += "\n"
    if (draft.form === "code" && part[0]) writeCode(writer, part[0], left)
    else flow(writer, part, vocabulary)
  }
  return writer
}

/** A table's rows as lines, and its cells as texts. */
export function composeTable(
  draft: TableDraft,
  vocabulary: Vocabulary,
): Composed & { readonly rows: readonly (readonly string[])[] } {
  const writer: Writer = { text: "", spans: [] }
  const rows = draft.rows.map((row, i) => {
    if (i > 0) writer.text += "\n"
    return row.map((cell, column) => {
      if (column > 0) writer.text += " | "
      const start = writer.text.length
      flow(writer, cell, vocabulary)
      return writer.text.slice(start)
    })
  })
  return { text: writer.text, spans: writer.spans, rows }
}

/** Lines that flow into each other: a word that a hyphen cut becomes whole. */
function flow(writer: Writer, lines: readonly Line[], vocabulary: Vocabulary): void {
  let space = ""
  for (const [at, line] of lines.entries()) {
    const last = line.words.length - 1
    for (const [i, word] of line.words.entries()) {
      writer.text += space
      const next = i === last && endsWithHyphen(word) ? lines[at + 1]?.words[0] : undefined
      write(
        writer,
        word,
        next && losesHyphen(word.text, next.text, vocabulary) ? word.text.slice(0, -1) : word.text,
        line,
      )
      space = next ? "" : " "
    }
  }
}

function write(writer: Writer, word: PlacedWord, text: string, { page, column }: Line): void {
  const { x0, y0, x1, y1 } = word.original ?? word
  const start = writer.text.length
  writer.text += text
  writer.spans.push({ start, end: writer.text.length, page, column, x0, y0, x1, y1 })
}

/**
 * Whether the hyphen only marks the break: not where the document elsewhere has the word with it and not without, nor
 * before a capital or a figure, unless the document has the word whole (`Jean-Paul`, `1914-1918`; `JavaScript`).
 */
function losesHyphen(half: string, next: string, vocabulary: Vocabulary): boolean {
  if (half.endsWith("\u00ad")) return true
  const stem = half.slice(0, -1)
  if (vocabulary.has(bare(stem + next))) return true
  return /^\p{Ll}/u.test(next) && !vocabulary.has(bare(`${stem}-${next}`))
}

/** A line of code with the spaces that its place on the page tells. */
function writeCode(writer: Writer, line: Line, left: number): void {
  const pitch = line.pitch ?? line.fontSize / 2
  let end = left
  for (const [i, placed] of line.words.entries()) {
    const spaces = Math.round((placed.x0 - end) / pitch)
    writer.text += " ".repeat(Math.min(SPACES_MAX, Math.max(i > 0 ? 1 : 0, spaces || 0)))
    write(writer, placed, placed.text, line)
    end = placed.x1
  }
}
