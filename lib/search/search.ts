import type { StageTime } from "../activity.ts"
import type { Deadline } from "../deadline.ts"
import type { DetectLanguage } from "../detect-language.ts"
import type { Reranker } from "../inference/inference.ts"
import type { ModelDeps } from "../inference/tenant-models.ts"
import type { Strategy } from "../shapes.ts"
import type { FindCandidates } from "./find-candidates.ts"
import { runPipeline } from "./pipeline.ts"
import type { SearchRequest } from "./request.ts"
import type { SearchResponse } from "./response.ts"

/** How long each stage took, ms, in the order they ran: what `Server-Timing` shows. */
export type Timings = readonly StageTime[]

export interface Found {
  readonly response: SearchResponse
  readonly timings: Timings
}

/** The retrieval pipeline over one tenant's chunks. Throws `invalid_request`, `deadline_exceeded`, `database_unavailable`, `index_unavailable`. */
export type Search = (tenant: string, request: SearchRequest, deadline: Deadline) => Promise<Found>

/** What the operator decides of a search; see docs/configuration.md. */
export interface SearchSettings {
  readonly searchStrategy: Strategy
  readonly searchDenseCandidates: number
  readonly searchLexicalCandidates: number
  readonly rerankCandidates: number
  readonly retrievalLambda: number
  readonly embedTimeoutMs: number
  readonly rerankTimeoutMs: number
}

/** `embedder` null: words alone, and vectors that callers bring. */
export interface SearchDeps extends ModelDeps {
  /** The index that is searched. */
  readonly find: FindCandidates
  /** True where the index ranks by words only what lies near the question's vector: words alone then need one too. */
  readonly wordsNeedVector?: boolean
  readonly reranker: Reranker | null
  /** Tells a question's language, for a model that doesn't understand all; null: only requests do that name theirs. */
  readonly detector: (() => Promise<DetectLanguage>) | null
  readonly settings: SearchSettings
}

/** What the stages between fusion and answer take and leave. */
export interface Funnel {
  /** Fused hits that diversification chooses from, and how many it keeps; null leaves it out. */
  readonly diversify: { readonly from: number; readonly keep: number } | null
  /** Hits that the reranker reads; null leaves it out. */
  readonly rerank: number | null
}

/** Most fused hits that diversification chooses from in `/search`: it asks for the vector of each. */
const DIVERSIFY_CANDIDATES = 50

/** `POST /search`: fast and complete. No stage drops a hit, so that every page of the results follows from the first. */
export function createSearch(deps: SearchDeps): Search {
  return (tenant, request, deadline) =>
    runPipeline(deps, tenant, request, deadline, {
      diversify: request.mmr ? { from: DIVERSIFY_CANDIDATES, keep: DIVERSIFY_CANDIDATES } : null,
      rerank: request.rerank ? deps.settings.rerankCandidates : null,
    })
}
