import type { Deadline } from "../../deadline.ts"
import { AppError } from "../../errors.ts"
import { searchModel } from "../../inference/tenant-models.ts"
import type { JudgedQuestions } from "../../judgments.ts"
import type { Judgements } from "../../relevance-metrics.ts"
import type { Candidate } from "../candidate.ts"
import { embedQuery } from "../embed-query.ts"
import { fuse } from "../fuse.ts"
import { candidateQuery, planSearch } from "../plan.ts"
import { queryText } from "../query-text.ts"
import { SearchRequest } from "../request.ts"
import { candidateText, scorePassages } from "../rerank.ts"
import type { SearchDeps } from "../search.ts"
import { DEFAULT_ALPHA } from "../tuning.ts"

/** A judged question with all that the shares are chosen by: nothing is asked again. */
export interface GatheredQuestion {
  readonly judgements: Judgements
  /** With both scores each. */
  readonly candidates: readonly Candidate[]
  /** The reranker's score by key, of every candidate that any of the shares of meaning brings into its reach; empty without one. */
  readonly reranked: ReadonlyMap<string, number>
}

interface GatherOptions {
  /** Shares of meaning that will be tried. */
  readonly alphas: readonly number[]
  readonly deadline: () => Deadline
  readonly onAsked?: (count: number) => void
}

/** As deep as `bench relevance` judges: both lists are at least so long. */
const TOP_K = 100
/** Every candidate comes with its passage: two lists of at most 1,000. */
const PASSAGES_MAX = 2_000

/**
 * Asks every question once, by meaning and by words, and the reranker about what may come before it. Throws `inference_unavailable`
 * where the question's vector can't be had, `not_found` where the tenant has none to compare it with, and what `find` throws.
 */
export async function gatherQuestions(
  deps: SearchDeps,
  tenant: string,
  { questions, judgements }: JudgedQuestions,
  { alphas, deadline, onAsked }: GatherOptions,
): Promise<readonly GatheredQuestion[]> {
  const embedder = await searchModel(deps, tenant)
  const gathered: GatheredQuestion[] = []
  for (const { _id: id, text } of questions) {
    const limit = deadline()
    limit.signal.throwIfAborted()
    const request = SearchRequest.parse({ query: text, strategy: "weighted", alpha: DEFAULT_ALPHA, top_k: TOP_K })
    const embedded = await embedQuery(embedder, request, limit, deps.settings.embedTimeoutMs)
    if (embedded.missing) throw new AppError("inference_unavailable", `Nothing can be tuned: ${embedded.missing}.`)
    const plan = planSearch(tenant, request, deps.settings, { diversify: null, rerank: null })
    const asked = candidateQuery(plan, request, embedded.vector, deps.settings)
    const found = await deps.find(tenant, { ...asked, passages: PASSAGES_MAX }, limit.left())
    if (embedded.vector && found.candidates.length > 0 && !found.comparable)
      throw new AppError("not_found", "Nothing can be tuned: no passage of this tenant has a vector of its model.")
    const reranked = await rerankedScores(deps, queryText(text), found.candidates, alphas, limit)
    gathered.push({ judgements: judgements.get(id) ?? new Map(), candidates: found.candidates, reranked })
    onAsked?.(gathered.length)
  }
  return gathered
}

async function rerankedScores(
  { reranker, settings }: SearchDeps,
  query: string,
  candidates: readonly Candidate[],
  alphas: readonly number[],
  { signal }: Deadline,
): Promise<ReadonlyMap<string, number>> {
  if (!reranker || query === "") return new Map()
  const heads = alphas.flatMap((alpha) =>
    fuse(candidates, { strategy: "weighted", alpha, rrfK: 0 }).slice(0, settings.rerankCandidates),
  )
  const read = [...new Map(heads.map(({ candidate }) => [candidate.key, candidate])).values()]
  const scores = await scorePassages(reranker, query, read.map(candidateText), { signal, isPatient: true })
  return new Map(read.map(({ key }, at) => [key, scores[at] ?? 0]))
}
