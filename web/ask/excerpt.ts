/** UTF-16 offsets of what a passage has that the answer quotes. */
interface Mark {
  readonly start: number
  readonly end: number
}

/** A part of a passage, with its own marks. */
interface Excerpt {
  readonly text: string
  readonly marks: readonly Mark[]
  readonly isWhole: boolean
}

/** Longest passage, and longest excerpt of one, in characters. */
const CHARS_MAX = 420
/** Of what stands before the first mark. */
const BEFORE_CHARS = 100

/** Where a passage has these sentences word for word, in order and without overlaps. */
export function quotesIn(passage: string, sentences: readonly string[]): readonly Mark[] {
  const found = sentences
    .flatMap((sentence) => {
      const start = passage.indexOf(sentence)
      return start === -1 || sentence.length === 0 ? [] : [{ start, end: start + sentence.length }]
    })
    .sort((a, b) => a.start - b.start)
  return found.filter(({ start }, index) => index === 0 || start >= (found[index - 1]?.end ?? 0))
}

/** A long passage's few lines around its first mark, or its beginning; a short one as it is. Words stay whole. */
export function excerptOf(passage: string, marks: readonly Mark[]): Excerpt {
  if (passage.length <= CHARS_MAX) return { text: passage, marks, isWhole: true }
  const first = marks[0]?.start ?? 0
  const start = first > BEFORE_CHARS * 2 ? wordStart(passage, first - BEFORE_CHARS) : 0
  const end = start + CHARS_MAX >= passage.length ? passage.length : wordEnd(passage, start + CHARS_MAX)
  const before = start > 0 ? "… " : ""
  const moved = before.length - start
  return {
    text: `${before}${passage.slice(start, end).trimEnd()}${end < passage.length ? " …" : ""}`,
    marks: marks
      .filter((mark) => mark.start < end)
      .map((mark) => ({ start: mark.start + moved, end: Math.min(mark.end, end) + moved })),
    isWhole: false,
  }
}

/** The blank after, or before, which a word is whole; where there is none near, never between two halves of a character. */
function wordStart(text: string, at: number): number {
  const blank = text.indexOf(" ", at)
  return blank === -1 || blank > at + BEFORE_CHARS ? whole(text, at) : blank + 1
}

function wordEnd(text: string, at: number): number {
  const blank = text.lastIndexOf(" ", at)
  return blank < at - BEFORE_CHARS ? whole(text, at) : blank
}

function whole(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at
}
