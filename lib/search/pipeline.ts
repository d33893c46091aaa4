import { encodeCursor } from "../cursor.ts"
import type { Deadline } from "../deadline.ts"
import { searchModel } from "../inference/tenant-models.ts"
import type { Candidate, Scored } from "./candidate.ts"
import { diversify } from "./diversify.ts"
import { type EmbeddedQuery, embedQuery } from "./embed-query.ts"
import { expandParents } from "./expand-parents.ts"
import type { CandidateQuery } from "./find-candidates.ts"
import { foreignLanguage } from "./foreign-language.ts"
import { fuse } from "./fuse.ts"
import { actualStrategy, candidateQuery, planSearch } from "./plan.ts"
import { queryText } from "./query-text.ts"
import type { SearchRequest } from "./request.ts"
import { rerank } from "./rerank.ts"
import type { Found, Funnel, SearchDeps } from "./search.ts"
import { toHit } from "./to-hit.ts"
import { Trace } from "./trace.ts"
import { DEFAULT_ALPHA, type Tuning, UNTUNED } from "./tuning.ts"

/**
 * The stages of a search in their order: embed, rank, fuse, diversify, rerank, expand, cite. Each is a function of its
 * own; here stands only what passes from one to the next.
 */
export async function runPipeline(
  deps: SearchDeps,
  tenant: string,
  request: SearchRequest,
  deadline: Deadline,
  funnel: Funnel,
): Promise<Found> {
  const trace = new Trace(request.explain)
  const plan = planSearch(tenant, request, deps.settings, funnel)
  const embedder = request.embedding ? deps.embedder : await searchModel(deps, tenant)
  const find = async (byMeaning: boolean) => {
    const embedded: EmbeddedQuery = await trace.timed("embed", () =>
      byMeaning ? embedQuery(embedder, request, deadline, deps.settings.embedTimeoutMs) : { vector: null },
    )
    const asked = candidateQuery(plan, request, embedded.vector, deps.settings)
    const found = await trace.timed("rank", () => deps.find(tenant, asked, deadline.left()))
    return { embedded, asked, ...found }
  }
  const wordsAlone = !deps.wordsNeedVector
  const foreign = plan.strategy === "rrf" && wordsAlone ? await foreignLanguage(embedder, deps.detector, request) : null
  const byWords = foreign === null ? null : await find(false)
  const found = byWords?.candidates.length ? byWords : await find(plan.strategy !== "lexical" || !wordsAlone)
  const { embedded, asked, candidates, comparable } = found
  const tuning = found.tuning ?? UNTUNED
  const query = {
    ...asked,
    alpha: asked.alpha ?? tuning.alpha ?? DEFAULT_ALPHA,
    strategy: actualStrategy(asked.strategy, embedded.vector, comparable),
  }
  if (foreign !== null) trace.degraded(foreignNote(foreign, embedded))
  report(trace, request, embedded, comparable || candidates.length === 0)
  for (const note of found.notes ?? []) trace.degraded(note)
  for (const { word, as } of found.corrections ?? [])
    trace.warn(`query: no passage has "${word}"; ${as.join(", ")} was looked for too`)
  trace.lists(candidates)

  const ranked = await order(deps, request, deadline, funnel, query, candidates, tuning, trace)
  const page = ranked.slice(plan.start, plan.end)
  const hits = await trace.timed("cite", () => page.map((scored) => toHit(tenant, scored, request.rrf_k)))
  return {
    response: {
      results: hits,
      count: hits.length,
      ...(ranked.length > plan.end && { next_cursor: encodeCursor(plan.end, plan.list) }),
      strategy: query.strategy,
      ...trace.report(),
    },
    timings: trace.timings,
  }
}

/** From candidates of both lists to one list: fuse, diversify, rerank, expand. */
async function order(
  deps: SearchDeps,
  request: SearchRequest,
  deadline: Deadline,
  funnel: Funnel,
  query: CandidateQuery & { readonly alpha: number },
  candidates: readonly Candidate[],
  tuning: Tuning,
  trace: Trace,
): Promise<readonly Scored[]> {
  const { settings } = deps
  const fused = await trace.timed("fuse", () => fuse(candidates, query))
  let ranked: readonly Scored[] = fused
  trace.stage("fuse", ranked)
  if (funnel.diversify) {
    const { from, keep } = funnel.diversify
    const lambda = request.lambda ?? settings.retrievalLambda
    const picked = await trace.timed("diversify", () => diversify(ranked.slice(0, from), lambda, keep))
    ranked = keep < from ? picked : [...picked, ...ranked.slice(from)]
    trace.stage("diversify", ranked)
  }
  const count = funnel.rerank
  if (count !== null) {
    const result = await trace.timed("rerank", () =>
      rerank(deps.reranker, queryText(query.query), ranked, {
        ...{ count, fused, tuning, deadline },
        timeoutMs: settings.rerankTimeoutMs,
      }),
    )
    if (result.missing) trace.degraded(`rerank: ${result.missing}; the order is that of the fusion`)
    ranked = result.ranked
    trace.stage("rerank", ranked)
  }
  if (request.expand_parents) {
    ranked = await trace.timed("expand", () => expandParents(ranked))
    trace.stage("expand", ranked)
  }
  return ranked
}

function foreignNote(language: string, { vector }: EmbeddedQuery): string {
  const what = `meaning: the embedding model doesn't understand the question's language (${language})`
  return vector ? `${what}; the words found nothing, so it ranked all the same` : `${what}; ranked by words alone`
}

function report(trace: Trace, request: SearchRequest, embedded: EmbeddedQuery, comparable: boolean): void {
  if (embedded.missing) trace.degraded(`meaning: ${embedded.missing}; ranked by words alone`)
  else if (embedded.vector && !comparable) {
    trace.degraded("meaning: no passage here has a vector of this model; ranked by words alone")
  }
  if (request.query && !request.embedding && queryText(request.query) === "") {
    trace.warn("query: it has no words to rank by, only exclusions or quotes")
  }
  if (request.embedding_model && !request.embedding) trace.warn("embedding_model: had no effect without embedding")
  if (request.lambda !== undefined && !request.mmr) trace.warn("lambda: had no effect without mmr")
}
