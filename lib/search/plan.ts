import { decodeCursor } from "../cursor.ts"
import { invalidField } from "../errors.ts"
import type { Strategy } from "../shapes.ts"
import type { CandidateQuery, QueryVector } from "./find-candidates.ts"
import { queryText } from "./query-text.ts"
import type { SearchRequest } from "./request.ts"
import type { Funnel, SearchSettings } from "./search.ts"

/** Longest list that either side brings: what an HNSW scan can return. */
const DEPTH_MAX = 1_000

/** What one search is going to do, before it knows whether its models answer. */
export interface Plan {
  readonly strategy: Strategy
  /** First and last place of the page, from 0; `end` is not part of it. */
  readonly start: number
  readonly end: number
  /** What decides the list: a cursor belongs to one of these. */
  readonly list: unknown
  readonly funnel: Funnel
}

/** Reads the request. Throws `invalid_request` for a foreign cursor, and where the strategy lacks what it ranks by. */
export function planSearch(tenant: string, request: SearchRequest, settings: SearchSettings, funnel: Funnel): Plan {
  const strategy = request.strategy ?? settings.searchStrategy
  if (strategy === "lexical" && !request.query?.trim()) {
    throw invalidField("query", "is required by strategy lexical, which ranks by words alone")
  }
  const { cursor, explain: _, ...rest } = request
  const list = [tenant, strategy, rest]
  const start = cursor === undefined ? 0 : decodeCursor(cursor, list, "number")
  return { strategy, start, end: start + request.top_k, list, funnel }
}

/** What there is to rank by: without a vector words alone, without words meaning alone. `rrf` holds for one list too. */
function possibleStrategy(strategy: Strategy, request: SearchRequest, vector: QueryVector | null): Strategy {
  if (strategy === "rrf") return strategy
  if (!vector) return "lexical"
  return queryText(request.query ?? "") === "" ? "semantic" : strategy
}

/** What ranked after all: words alone, where the tenant has no vector that the question's can be compared with. */
export function actualStrategy(asked: Strategy, vector: QueryVector | null, comparable: boolean): Strategy {
  return asked === "rrf" || !vector || comparable ? asked : "lexical"
}

/** The plan as a question to the index. */
export function candidateQuery(
  plan: Plan,
  request: SearchRequest,
  vector: QueryVector | null,
  settings: SearchSettings,
): CandidateQuery {
  const { funnel, end } = plan
  const byDocument = request.group_by === "document"
  const read = Math.max(funnel.diversify?.from ?? 0, funnel.rerank ?? 0)
  const first = Math.max(request.top_k, read)
  // The same for every page: longer lists rank anew, and a hit of one page would come again on the next. Twice as
  // long where documents are ranked, whose chunks share one place, lost .001 nDCG@10 on SciFact and took 5 ms more of 28.
  const depth = (setting: number): number => Math.min(DEPTH_MAX, Math.max(setting, first))
  return {
    query: request.query ?? "",
    language: request.language,
    nearestTo: vector,
    strategy: possibleStrategy(plan.strategy, request, vector),
    // Beside 1 less than this is nothing, and PostgreSQL refuses to multiply what is near 1e-308 (22003).
    alpha: request.alpha === undefined ? null : request.alpha < Number.EPSILON ? 0 : request.alpha,
    rrfK: request.rrf_k,
    byDocument,
    filter: request.filter,
    denseDepth: depth(settings.searchDenseCandidates),
    lexicalDepth: depth(settings.searchLexicalCandidates),
    wanted: first,
    passages: Math.max(end, read),
    vectors: funnel.diversify !== null,
    parents: request.expand_parents,
    highlights: request.highlight,
  }
}
