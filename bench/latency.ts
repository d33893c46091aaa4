import { deadlineIn } from "../lib/deadline.ts"
import type { Embedder } from "../lib/inference/inference.ts"
import { mean, overlap } from "../lib/relevance-metrics.ts"
import { SearchRequest } from "../lib/search/request.ts"
import type { Search } from "../lib/search/search.ts"
import { percentile, round } from "./metrics.ts"
import type { ReferenceQueries } from "./reference-queries.ts"

interface Times {
  readonly p50_ms: number
  readonly p95_ms: number
}

/** How fast one tenant is searched, and what the fast ways miss. */
export interface LatencyFigures {
  /** By words alone. */
  readonly lexical: Times
  /** By meaning alone, the query's vector given. */
  readonly dense: Times
  /** As `POST /search` does it by default, the query's embedding included. */
  readonly whole: Times
  /** The same under `weighted`. */
  readonly whole_weighted: Times
  /** `ts_rank_cd` over the OR of the question's lexemes, as the owner. */
  readonly ts_rank_cd: Times
  /** Share of its plans that use the GIN index: below 1 the comparison is not a fair one. */
  readonly ts_rank_cd_by_index: number
  /** p50 of `ts_rank_cd` over p50 of `lexical`. */
  readonly lexical_speedup: number
  /** Share of the ten nearest chunks among the dense list's first ten. */
  readonly dense_recall10: number
  /** Share of the ten best chunks by BM25 among the lexical list's first ten. */
  readonly lexical_top10_kept: number
}

interface LatencySubject {
  readonly search: Search
  readonly embedder: Embedder
  readonly reference: ReferenceQueries
}

type Measured = "lexical" | "dense" | "whole" | "whole_weighted" | "ts_rank_cd"

/** A question with what the two lists brought for it, as `document#chunk`. */
interface Asked {
  readonly query: string
  readonly vector: Float32Array
  readonly lexical: readonly string[]
  readonly dense: readonly string[]
}

const WARM_UP_QUESTIONS = 10
const DEADLINE_MS = 600_000

/**
 * Asks every question in each way, one way after the other, so that whatever else the machine does meets all of them; the
 * references come after all searches: they read every chunk, which would leave none of the processor's caches to the
 * search that comes next. The first ten questions are asked once before, to warm the caches of the database and the driver.
 */
export async function measureLatency(
  { search, embedder, reference }: LatencySubject,
  tenant: string,
  questions: readonly string[],
  onAsked: (count: number) => void,
): Promise<LatencyFigures> {
  const ask = (request: Record<string, unknown>) => timedSearch(search, tenant, { top_k: 10, ...request })
  for (const query of questions.slice(0, WARM_UP_QUESTIONS))
    await ask({ query: `${query} again`, strategy: "weighted" })
  const times: Record<Measured, number[]> = { lexical: [], dense: [], whole: [], whole_weighted: [], ts_rank_cd: [] }
  const denseRecall: number[] = []
  const lexicalKept: number[] = []
  const byIndex: number[] = []
  const asked: Asked[] = []
  for (const query of questions) {
    const [vector = new Float32Array()] = (await embedder.embed([query], "query")).vectors
    const lexical = await ask({ query, strategy: "lexical", group_by: "chunk" })
    const dense = await ask({ embedding: [...vector], strategy: "semantic", group_by: "chunk" })
    times.lexical.push(lexical.ms)
    times.dense.push(dense.ms)
    times.whole.push((await ask({ query })).ms)
    // Model and lexemes fold case, but a cache of queries doesn't: in capitals it is another one.
    times.whole_weighted.push((await ask({ query: query.toUpperCase(), strategy: "weighted" })).ms)
    asked.push({ query, vector, lexical: lexical.chunks, dense: dense.chunks })
  }
  for (const [index, { query, vector, lexical, dense }] of asked.entries()) {
    const textRank = await reference.timeTextRank(tenant, query)
    times.ts_rank_cd.push(textRank.ms)
    byIndex.push(textRank.byIndex ? 1 : 0)
    lexicalKept.push(overlap(await reference.exhaustiveLexical(tenant, query), lexical))
    denseRecall.push(overlap(await reference.exactDense(tenant, embedder.model, vector), dense))
    onAsked(index + 1)
  }
  const summary = (measured: Measured): Times => ({
    p50_ms: round(percentile(times[measured], 50), 2),
    p95_ms: round(percentile(times[measured], 95), 2),
  })
  return {
    lexical: summary("lexical"),
    dense: summary("dense"),
    whole: summary("whole"),
    whole_weighted: summary("whole_weighted"),
    ts_rank_cd: summary("ts_rank_cd"),
    ts_rank_cd_by_index: round(mean(byIndex), 4),
    lexical_speedup: round(percentile(times.ts_rank_cd, 50) / percentile(times.lexical, 50), 1),
    dense_recall10: round(mean(denseRecall), 4),
    lexical_top10_kept: round(mean(lexicalKept), 4),
  }
}

async function timedSearch(search: Search, tenant: string, body: Record<string, unknown>) {
  const request = SearchRequest.parse(body)
  const start = performance.now()
  const { response } = await search(tenant, request, deadlineIn(DEADLINE_MS))
  const ms = performance.now() - start
  return { ms, chunks: response.results.map((hit) => `${hit.id}#${hit.chunk_id}`) }
}
