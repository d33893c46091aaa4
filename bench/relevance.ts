import type { Collection, Passage, Question } from "../lib/beir-collection.ts"
import { deadlineIn } from "../lib/deadline.ts"
import type { IndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { mean, ndcg } from "../lib/relevance-metrics.ts"
import { SearchRequest } from "../lib/search/request.ts"
import type { Search } from "../lib/search/search.ts"
import { Strategy } from "../lib/shapes.ts"
import { percentile, recall, round } from "./metrics.ts"

/** How one way of searching did over all questions of a collection. */
export interface RelevanceFigures {
  readonly ndcg10: number
  readonly recall100: number
  /** Questions that found nothing at all. */
  readonly no_hit: number
  readonly p50_ms: number
  readonly p95_ms: number
  /** Questions that were answered without a part of the search; absent when there was none. */
  readonly degraded?: number
}

/** Every strategy alone and reranked, as the figures name them. */
export const VARIANTS: readonly string[] = Strategy.options.flatMap((strategy) => [strategy, `${strategy}+rerank`])

/** Depth of the ranking that is judged. */
const TOP_K = 100
const DOCUMENTS_PER_CALL = 64
/** The bench waits as long as it takes: what is slow shows in p95. */
const DEADLINE_MS = 600_000

/** Puts the collection's documents into a tenant, by the same path as `POST /index/batch`. */
export async function indexCollection(
  indexDocuments: IndexDocuments,
  tenant: string,
  corpus: readonly Passage[],
  onIndexed: (count: number) => void,
): Promise<void> {
  for (let start = 0; start < corpus.length; start += DOCUMENTS_PER_CALL) {
    const requests = corpus.slice(start, start + DOCUMENTS_PER_CALL).flatMap(({ _id: id, title, text }) => {
      const content = text.trim() === "" ? title : text
      // Collections hold a few documents without any text: nothing could find them.
      return content.trim() === "" ? [] : [IndexRequest.parse({ id, title, content })]
    })
    const outcomes = await indexDocuments(tenant, requests, deadlineIn(DEADLINE_MS))
    for (const outcome of outcomes) if ("failed" in outcome) throw outcome.failed
    onIndexed(Math.min(start + DOCUMENTS_PER_CALL, corpus.length))
  }
}

/** Asks every question in one of `VARIANTS` and judges the documents that come back. */
export async function measureVariant(
  search: Search,
  tenant: string,
  variant: string,
  { questions, judgements }: Pick<Collection, "questions" | "judgements">,
  onAsked: (count: number) => void,
): Promise<RelevanceFigures> {
  const [strategy, rerank] = variant.split("+")
  const times: number[] = []
  const rankings: string[][] = []
  let degraded = 0
  for (const [index, question] of questions.entries()) {
    const request = SearchRequest.parse({ query: question.text, top_k: TOP_K, strategy, rerank: rerank === "rerank" })
    const start = performance.now()
    const { response } = await search(tenant, request, deadlineIn(DEADLINE_MS))
    times.push(performance.now() - start)
    rankings.push(response.results.map(({ id }) => id))
    if (response.degraded) degraded += 1
    onAsked(index + 1)
  }
  const judged = (measure: typeof ndcg) =>
    mean(rankings.map((ranked, index) => measure(ranked, judgements.get(idOf(questions, index)) ?? new Map())))
  return {
    ndcg10: round(judged(ndcg), 4),
    recall100: round(judged(recall), 4),
    no_hit: rankings.filter((ranked) => ranked.length === 0).length,
    p50_ms: round(percentile(times, 50), 1),
    p95_ms: round(percentile(times, 95), 1),
    ...(degraded > 0 && { degraded }),
  }
}

const idOf = (questions: readonly Question[], index: number): string => questions[index]?._id ?? ""
