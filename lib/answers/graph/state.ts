import type { SearchHit } from "../../search/response.ts"
import type { CitedText } from "../cite-sentences.ts"
import type { SupportLabel } from "../response.ts"

/** What passes from node to node. No key is named as a node is: LangGraph takes both for channels. */
export interface AnswerState {
  /** Stands alone. */
  question: string
  /** What is searched for: the question, or another way to ask it. */
  query: string
  /** Whether documents are searched. */
  searches: boolean
  /** Found and not yet judged. */
  unjudged: readonly SearchHit[]
  /** Judged relevant, in all rounds; the latest first. */
  relevant: readonly SearchHit[]
  /** Citations of those that were not. */
  irrelevant: readonly string[]
  /** Relevant ones that the generator reads, as `[Doc 1]`, `[Doc 2]`, … */
  sources: readonly SearchHit[]
  context: string
  /** Null before the first, and of a generator that found no answer in the passages. */
  draft: CitedText | null
  /** What the draft was written from: a later round may have other sources. */
  draftSources: readonly SearchHit[]
  /** Tokens or time ran out before the generator wrote: the draft, if there is one, is an earlier one, and the last. */
  isCutShort: boolean
  /** Of the draft's sentences; null: not judged. */
  sentenceSupport: readonly (SupportLabel | null)[]
  wholeSupport: SupportLabel | null
  isUseful: boolean | null
  /** Searches made. */
  searchCount: number
  /** Of both loops together. */
  retryCount: number
}

/** The state before the first node. */
export function startOf(question: string): AnswerState {
  return {
    question,
    query: question,
    searches: true,
    unjudged: [],
    relevant: [],
    irrelevant: [],
    sources: [],
    context: "",
    draft: null,
    draftSources: [],
    isCutShort: false,
    sentenceSupport: [],
    wholeSupport: null,
    isUseful: null,
    searchCount: 0,
    retryCount: 0,
  }
}
