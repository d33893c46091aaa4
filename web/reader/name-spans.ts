import type { ChunkEntity } from "../../lib/documents/annotations.ts"

/** A stretch of text, with who it names. */
export interface NameSpan {
  readonly text: string
  readonly entity?: ChunkEntity
}

/**
 * The text in pieces, the first mention of each entity in a piece of its own. The longer name wins where two meet; a name
 * inside a longer word is none.
 */
export function nameSpans(text: string, entities: readonly ChunkEntity[]): readonly NameSpan[] {
  const taken: { readonly start: number; readonly end: number; readonly entity: ChunkEntity }[] = []
  const byLength = [...entities].sort((a, b) => formOf(b).length - formOf(a).length)
  for (const entity of byLength) {
    const found = firstPlace(text, formOf(entity), taken)
    if (found !== null) taken.push({ start: found, end: found + formOf(entity).length, entity })
  }
  taken.sort((a, b) => a.start - b.start)
  const spans: NameSpan[] = []
  let at = 0
  for (const { start, end, entity } of taken) {
    if (start > at) spans.push({ text: text.slice(at, start) })
    spans.push({ text: text.slice(start, end), entity })
    at = end
  }
  if (at < text.length) spans.push({ text: text.slice(at) })
  return spans
}

/** The entities that no piece of any of the texts names: those that are named in other words. */
export function namedOtherwise(texts: readonly string[], entities: readonly ChunkEntity[]): readonly ChunkEntity[] {
  const shown = new Set(texts.flatMap((text) => nameSpans(text, entities)).map(({ entity }) => entity))
  return entities.filter((entity) => !shown.has(entity))
}

const formOf = ({ surface, name }: ChunkEntity): string => surface ?? name

function firstPlace(text: string, form: string, taken: readonly { start: number; end: number }[]): number | null {
  for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, start + 1)) {
    const end = start + form.length
    const isWord = !isLetter(text[start - 1]) && !isLetter(text[end])
    if (isWord && !taken.some((other) => start < other.end && other.start < end)) return start
  }
  return null
}

const isLetter = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character)
