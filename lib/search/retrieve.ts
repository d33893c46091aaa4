import type { Deadline } from "../deadline.ts"
import type { Strategy } from "../shapes.ts"
import { runPipeline } from "./pipeline.ts"
import { SearchRequest } from "./request.ts"
import type { Found, SearchDeps, SearchSettings } from "./search.ts"

/** What agents ask: a question, and what may be found. */
export type RetrieveRequest = Pick<SearchRequest, "query" | "filter" | "language"> &
  Partial<Pick<SearchRequest, "explain" | "highlight">> & {
    /** Passages to return; RETRIEVAL_K_RERANK when absent. */
    readonly top_k?: number | undefined
    /** Whether a passage is shown as its parent; true when absent. */
    readonly expand_parents?: boolean | undefined
  }

interface RetrieveSettings extends SearchSettings {
  readonly retrievalKInitial: number
  readonly retrievalKMmr: number
  readonly retrievalKRerank: number
  /** How the two lists are fused; `weighted` when absent. */
  readonly retrievalStrategy?: Strategy
}

/** The funnel for agents and answers. Throws as `Search` does. */
export type Retrieve = (tenant: string, request: RetrieveRequest, deadline: Deadline) => Promise<Found>

/**
 * Few passages, unlike each other, each as the text around it: RETRIEVAL_K_INITIAL fused hits, of which diversification
 * keeps RETRIEVAL_K_MMR and the reranker RETRIEVAL_K_RERANK, shown as their parents. Near-duplicates would crowd an
 * answer of four, hence the diversification that `/search` goes without. A larger `top_k` widens the funnel with it.
 */
export function createRetrieve(deps: SearchDeps & { readonly settings: RetrieveSettings }): Retrieve {
  const { retrievalKInitial, retrievalKMmr, retrievalKRerank, retrievalStrategy = "weighted" } = deps.settings
  return (tenant, request, deadline) => {
    const topK = request.top_k ?? retrievalKRerank
    const keep = Math.max(retrievalKMmr, topK)
    return runPipeline(
      deps,
      tenant,
      SearchRequest.parse({
        expand_parents: true,
        ...request,
        top_k: topK,
        strategy: retrievalStrategy,
        group_by: "chunk",
        mmr: true,
        rerank: true,
      }),
      deadline,
      { diversify: { from: Math.max(retrievalKInitial, keep), keep }, rerank: keep },
    )
  }
}
