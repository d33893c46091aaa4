import type { SearchHit } from "../../search/response.ts"
import { splitSentences } from "../split-sentences.ts"

/** A passage in the language in which it is quoted. */
export interface QuotablePassage {
  readonly hit: SearchHit
  /** The chunk's own text, or its translation. */
  readonly text: string
  readonly language: string
}

/** A sentence or a table's row, as it stands in its passage. */
export interface QuotableSentence {
  /** Index of its passage. */
  readonly passage: number
  /** Where it begins in the passage's text. */
  readonly start: number
  readonly text: string
}

/** Most sentences of one passage that are looked at: a child chunk has about ten. */
const SENTENCES_MAX = 40
/** Marks of a list or a quotation that stand before a sentence and are none of its words. */
const LIST_MARK = /^(?:[-*•–—>]\s+|\d{1,3}[.)]\s+)+/u
/** A heading has no full stop and few words; alone it states nothing. */
const WORDS_MIN = 3

/** The passage's own text, or its translation where that alone is in the question's language. */
export function toPassage(hit: SearchHit, language: string | null): QuotablePassage {
  const { translation } = hit
  const wanted = language?.split("-")[0]
  const inTranslation =
    translation && wanted && baseOf(hit.language) !== wanted && baseOf(translation.language) === wanted
  if (inTranslation) return { hit, text: translation.content, language: translation.language }
  return { hit, text: hit.content, language: hit.language }
}

const baseOf = (language: string): string | undefined => language.split("-")[0]

/** What can be quoted of the passages, in the order of the text. Headings and list marks are left out. */
export function quotableSentences(passages: readonly QuotablePassage[]): QuotableSentence[] {
  return passages.flatMap(({ text, hit }, passage) => {
    const all = splitSentences(text).map(({ start, end }): QuotableSentence => {
      const sentence = text.slice(start, end)
      const mark = LIST_MARK.exec(sentence)?.[0].length ?? 0
      return { passage, start: start + mark, text: sentence.slice(mark) }
    })
    const telling = all.filter((sentence) => states(sentence.text) && sentence.text !== hit.title)
    // A passage of headings alone is quoted all the same.
    return (telling.length > 0 ? telling : all).slice(0, SENTENCES_MAX)
  })
}

function states(sentence: string): boolean {
  return sentence.includes("|") || sentence.split(/\s+/).length >= WORDS_MIN || /\d/.test(sentence)
}
