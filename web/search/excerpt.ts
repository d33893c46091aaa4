/** Where a word stands, as UTF-16 offsets. */
export interface Mark {
  readonly start: number
  readonly end: number
}

/** A part of a text with the marks in it. */
export interface Excerpt {
  readonly text: string
  /** Offsets of `text`. */
  readonly marks: readonly Mark[]
  readonly cutBefore: boolean
  readonly cutAfter: boolean
}

/** Characters that are shown of a passage before it is opened: five lines or so. */
const EXCERPT_CHARS = 420

/** Shorter rests aren't worth a cut. */
const REST_CHARS = 80

/** How far before its first mark an excerpt may begin, to begin where a sentence does. */
const LEAD_CHARS = 140

/** About `chars` characters of a text, where most different marked words stand together; cut between sentences or words. */
export function excerptOf(text: string, marks: readonly Mark[], chars = EXCERPT_CHARS): Excerpt {
  if (text.length <= chars + REST_CHARS) return { text, marks, cutBefore: false, cutAfter: false }
  const from = beginBefore(text, densest(text, marks, chars - LEAD_CHARS))
  const limit = from + chars
  const to = limit + REST_CHARS >= text.length ? text.length : endBefore(text, from, limit)
  return {
    text: text.slice(from, to),
    marks: marks
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => ({ start: start - from, end: end - from })),
    cutBefore: from > 0,
    cutAfter: to < text.length,
  }
}

/** Where the mark stands from which on most different words are marked within `chars`; 0 without marks. */
function densest(text: string, marks: readonly Mark[], chars: number): number {
  let best = { start: 0, words: 0 }
  for (const [index, { start }] of marks.entries()) {
    const near = marks.slice(index).filter(({ end }) => end <= start + chars)
    const words = new Set(near.map((mark) => text.slice(mark.start, mark.end).toLowerCase())).size
    if (words > best.words) best = { start, words }
  }
  return best.start
}

/** The beginning of the sentence or line around `at`, or of a word where that is far off. */
function beginBefore(text: string, at: number): number {
  if (at <= LEAD_CHARS) return 0
  const lead = text.slice(at - LEAD_CHARS, at)
  const sentence = lastEnd(lead, /[.!?…]["”’)]?\s+|\n/g)
  if (sentence !== null) return at - LEAD_CHARS + sentence
  const near = text.slice(at - LEAD_CHARS / 2, at)
  const word = /\s/.exec(near)
  return word ? at - LEAD_CHARS / 2 + word.index + 1 : whole(text, at - LEAD_CHARS / 2)
}

function endBefore(text: string, from: number, limit: number): number {
  const part = text.slice(from, limit)
  const word = part.search(/\s\S*$/)
  return word > part.length / 2 ? from + word : whole(text, limit)
}

/** An offset that doesn't part a surrogate pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc_00 && code <= 0xdf_ff ? at - 1 : at
}

function lastEnd(text: string, pattern: RegExp): number | null {
  const last = [...text.matchAll(pattern)].at(-1)
  return last ? last.index + last[0].length : null
}
