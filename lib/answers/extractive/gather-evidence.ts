import type { Deadline } from "../../deadline.ts"
import type { DetectLanguage } from "../../detect-language.ts"
import { understands } from "../../inference/embedding-families.ts"
import type { WordMatch } from "../../inference/inference.ts"
import { queryText } from "../../search/query-text.ts"
import { SearchRequest } from "../../search/request.ts"
import type { SearchHit, SearchResponse } from "../../search/response.ts"
import type { Search } from "../../search/search.ts"
import type { AnswerRequest } from "../request.ts"
import { rewriteByRule } from "../rewrite-question.ts"
import type { Stepper } from "../stepper.ts"
import { type QuotablePassage, quotableSentences, toPassage } from "./quotable-sentences.ts"
import { type ScoredSentence, type ScoringDeps, scoreSentences } from "./score-sentences.ts"

/** What was found for a question: the ground on which it is answered or refused. */
export interface Evidence {
  readonly question: string
  /** As the request named it or its words tell; null: nobody knows. */
  readonly language: string | null
  readonly passages: readonly QuotablePassage[]
  /** Best first; empty where nothing was found. */
  readonly sentences: readonly ScoredSentence[]
  /** Of each passage: share of the question's words that it has, by IDF, 0–1. */
  readonly passageCoverage: readonly number[]
  /** How near the best sentence's passage comes to each of the question's words; null where no model can tell. */
  readonly matches: readonly WordMatch[] | null
  readonly degraded: readonly string[]
  readonly warnings: readonly string[]
}

export interface EvidenceDeps extends ScoringDeps {
  /** Not the funnel of `retrieve`: its reranker reads whole passages, which takes as long as all the rest, and here it is
   * sentences that are reranked. */
  readonly search: Search
  /** Tells a question's language; null: only requests do that name theirs. */
  readonly detector: (() => Promise<DetectLanguage>) | null
}

/**
 * Passages that sentences are taken from: so many of both lists fused and as many by meaning alone, about twelve together.
 * Common words that a question shares with anything crowd out of the fused ones what answers it in other words: of 37 such
 * questions they hold 29, both 34.
 */
const PASSAGES = 10

/** The question; of a conversation the last one, with the words that it refers to. */
const questionOf = ({ question, messages = [] }: AnswerRequest): string => question ?? rewriteByRule(messages)

/** Retrieves passages and scores their sentences. Throws as `Search` does. */
export async function gatherEvidence(
  deps: EvidenceDeps,
  tenant: string,
  request: AnswerRequest,
  deadline: Deadline,
  stepper: Stepper,
): Promise<Evidence> {
  const question = questionOf(request)
  const language = request.language ?? (await deps.detector?.())?.(queryText(question)) ?? null
  const { response, hits } = await stepper.run(
    "retrieve",
    () => findPassages(deps, tenant, request, { question, language }, deadline),
    (found) => ({ inputs: { documents: found.hits.length } }),
  )
  const passages = hits.map((hit) => toPassage(hit, language))
  const sentences = quotableSentences(passages)
  const scored = await stepper.run(
    "sentence_selector",
    () => scoreSentences(deps, { tenant, question, language, passages, sentences }, deadline),
    () => ({ inputs: { passages: passages.length, sentences: sentences.length } }),
  )
  return {
    question,
    language,
    passages,
    sentences: scored.sentences,
    passageCoverage: scored.passageCoverage,
    matches: scored.matches,
    degraded: [...(response.degraded ?? []), ...scored.degraded],
    warnings: response.warnings ?? [],
  }
}

interface FoundPassages {
  /** Of the search by both lists. */
  readonly response: SearchResponse
  readonly hits: readonly SearchHit[]
}

/** Both lists fused, then what meaning alone finds besides, where the embedder understands the question. */
async function findPassages(
  { search, embedder }: EvidenceDeps,
  tenant: string,
  { filter, language: named, top_k = PASSAGES }: AnswerRequest,
  { question, language }: { readonly question: string; readonly language: string | null },
  deadline: Deadline,
): Promise<FoundPassages> {
  const find = async (strategy: "weighted" | "semantic") => {
    // Chunks, not their parents: a citation is to name the few lines that hold the sentence.
    const query = { query: question, filter, language: named, top_k, strategy, group_by: "chunk" }
    return (await search(tenant, SearchRequest.parse(query), deadline)).response
  }
  const response = await find("weighted")
  if (!embedder || !understands(embedder, language ?? "en")) return { response, hits: response.results }
  const known = new Set(response.results.map(keyOf))
  const { results } = await find("semantic")
  return { response, hits: [...response.results, ...results.filter((hit) => !known.has(keyOf(hit)))] }
}

const keyOf = ({ id, chunk_id }: SearchHit): string => JSON.stringify([id, chunk_id])
