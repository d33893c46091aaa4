import type { AnswerSentence } from "./response.ts"
import type { Sources } from "./sources.ts"
import { splitSentences } from "./split-sentences.ts"

/** A text whose citations are all of passages that were found. */
export interface CitedText {
  /** With `[[doc/p007#c0042]]` in place of what the model wrote. */
  readonly answer: string
  readonly sentences: readonly Omit<AnswerSentence, "support">[]
  /** Indexes into the sources, each once, in the order in which they are cited. */
  readonly cited: readonly number[]
  /** Citations of what wasn't found, taken out. */
  readonly removed: number
}

/** Blanks, then `[[…]]`, or brackets of any kind that may name passages. Linear in time, whatever a model writes. */
const MARK = /(?<![ \t])([ \t]*)(?:\[\[([^[\]]*)\]\]|[[(【]([^[\]()【】]{1,200})[\])】])/gu
/** Stand for a passage's index while its mark is in the text; Unicode gives these no meaning. */
const HOLDERS = /[\uE000-\uF8FF]/gu
const HOLDER = 0xe000

/**
 * Maps what a model cites, `[Doc n]` or a passage's own `[[…]]`, to the passages it was given, and takes everything else
 * that looks like a citation out. A mark belongs to the sentence in which, or after whose full stop, it stands. Where the
 * passages were shown without numbers (`isNumbered` false), `[Doc n]` is nobody's.
 */
export function citeSentences(text: string, sources: Sources, isNumbered = true): CitedText {
  const { held, removed } = holdMarks(text, sources, isNumbered)
  const name = nameIn(sources)
  const marks = [...held.matchAll(HOLDERS)].map(({ 0: holder, index }, before) => ({
    // Where it stands in the text without marks.
    at: index - before,
    source: holder.charCodeAt(0) - HOLDER,
  }))
  const plain = held.replace(HOLDERS, "")
  const spans = splitSentences(plain)
  const citations = spans.map(() => new Set<string>())
  for (const { at, source } of marks) {
    // The last one that begins before it: after a full stop, the next sentence hasn't begun yet.
    const of = spans.findLastIndex(({ start }) => start < at)
    citations[Math.max(0, of)]?.add(name(source))
  }
  return {
    answer: withCitations(held, sources),
    sentences: spans.map(({ start, end }, index) => ({
      text: holdMarks(plain.slice(start, end), []).held,
      citations: [...(citations[index] ?? [])],
    })),
    cited: [...new Set(marks.map(({ source }) => source))],
    removed,
  }
}

/** The same for a text that is still being written: its answer and what it cites, without its sentences. */
export function citeText(text: string, sources: Sources): Pick<CitedText, "answer" | "cited"> {
  const { held } = holdMarks(text, sources)
  const cited = [...held.matchAll(HOLDERS)].map(({ 0: holder }) => holder.charCodeAt(0) - HOLDER)
  return { answer: withCitations(held, sources), cited: [...new Set(cited)] }
}

const nameIn =
  (sources: Sources) =>
  (index: number): string =>
    sources[index]?.citation ?? ""

/** The text with citations in place of holders. */
function withCitations(held: string, sources: Sources): string {
  const name = nameIn(sources)
  return held.replace(
    /([^\s(\uE000-\uF8FF])?([\uE000-\uF8FF]+)(\])?/gu,
    (_, before = "", holders: string, after = "") => {
      const named = [...holders].map((holder) => name(holder.charCodeAt(0) - HOLDER)).join("")
      // A bracket that touched ours would pass for a part of it.
      return `${before}${before && " "}${named}${after && " "}${after}`
    },
  )
}

/** The text with a holder for each passage that is cited, and nothing for those that aren't there. */
function holdMarks(text: string, sources: Sources, isNumbered = true): { held: string; removed: number } {
  let held = text.replace(HOLDERS, "")
  let removed = 0
  // What is taken out may join two halves into another: `[[[Doc 9]a#b]]`.
  for (let before = ""; before !== held; ) {
    before = held
    held = held.replace(MARK, (mark, blanks: string, citation?: string, inner?: string, at?: number) => {
      const numbers = namedIn(inner)
      const named = citation === undefined ? numbers && (isNumbered ? numbers : [-1]) : [indexOf(citation, sources)]
      if (!named) return mark
      const known = [...new Set(named)].filter((index) => index in sources)
      removed += named.filter((index) => !(index in sources)).length
      if (known.length > 0) return known.map((index) => String.fromCharCode(HOLDER + index)).join("")
      return /^[\p{L}\p{N}]/u.test(before.slice((at ?? 0) + mark.length)) ? blanks : ""
    })
  }
  return { held, removed }
}

/** Most passages that a range like `Doc 1-3` stands for. */
const RANGE_MAX = 50
const PAGES = /\b(?:pages?|pp?|p[áa]ginas?|p[áa]gs?)\b\.?\s{0,3}\d+(?:\s{0,3}[-–]\s{0,3}\d+)?/giu
const JOINING = /\b(?:doc(?:ument)?s?|and|e|to|a|or|ou)\b/giu

/**
 * The passages, from 0, that `Doc 1`, `Docs 1 and 3`, `Document 2, page 3` or `Doc 1-3` name; null for other text in
 * brackets.
 */
function namedIn(inner = ""): number[] | null {
  if (!/^\s{0,3}doc(?:ument)?s?\b/iu.test(inner)) return null
  const rest = inner.replace(PAGES, " ")
  if (/[^\d\s,;&#.–-]/u.test(rest.replace(JOINING, " "))) return null
  const named = [...rest.matchAll(/(\d+)(?:\s{0,3}(?:-|–|\bto\b|\ba\b)\s{0,3}(\d+))?/giu)].flatMap(([, from, to]) => {
    const first = Number(from)
    const last = to === undefined ? first : Number(to)
    if (last < first || last - first >= RANGE_MAX) return [first - 1, last - 1]
    return Array.from({ length: last - first + 1 }, (_, i) => first - 1 + i)
  })
  return named.length > 0 ? named : null
}

const indexOf = (citation: string, sources: Sources): number =>
  sources.findIndex((source) => source.citation === `[[${citation}]]`)
