import type { Deadline } from "../../deadline.ts"
import { AppError } from "../../errors.ts"
import { searchModel } from "../../inference/tenant-models.ts"
import type { JudgedQuestions } from "../../judgments.ts"
import type { SearchDeps } from "../search.ts"
import { gatherQuestions } from "./gather-questions.ts"
import type { TenantTuning } from "./tenant-tunings.ts"
import { ALPHAS, type TunedShares, tuneShares } from "./tune-shares.ts"

/** Fewer say nothing: with 50 a gain under about .02 nDCG@10 is not told from chance. */
const QUESTIONS_MIN = 50

/** What was learnt of a tenant. */
export interface LearntTuning extends TunedShares {
  readonly questions: number
  /** Share of the relevant documents that are among the candidates, 0–1: no share brings up the others. */
  readonly reach: number
  readonly embeddingModel: string
  readonly reranker: string | null
  /** Of the head that the reranker reads. */
  readonly rerankCandidates: number
}

interface TuneOptions {
  readonly deadline: () => Deadline
  readonly onAsked?: (count: number) => void
}

/**
 * Learns a tenant's shares from judged questions; writes nothing. Throws `invalid_request` for fewer than 50 of them and where none of
 * their documents is found, `invalid_configuration` without a model, and as `gatherQuestions` does.
 */
export async function tuneTenant(
  deps: SearchDeps,
  tenant: string,
  judged: JudgedQuestions,
  options: TuneOptions,
): Promise<LearntTuning> {
  const count = judged.questions.length
  if (count < QUESTIONS_MIN)
    throw new AppError(
      "invalid_request",
      `There are ${count} questions with a relevant document, and it takes ${QUESTIONS_MIN}: judge more.`,
    )
  const embedder = await searchModel(deps, tenant)
  if (!embedder)
    throw new AppError("invalid_configuration", "EMBEDDING_MODEL must name a model: there is nothing to weigh without.")
  const gathered = await gatherQuestions(deps, tenant, judged, { ...options, alphas: ALPHAS })
  const relevant = gathered.flatMap(({ judgements, candidates }) => {
    const found = new Set(candidates.map(({ documentId }) => documentId))
    return [...judgements].flatMap(([id, grade]) => (grade > 0 ? [found.has(id)] : []))
  })
  const reach = relevant.filter(Boolean).length / relevant.length
  if (reach === 0)
    throw new AppError(
      "invalid_request",
      "None of the relevant documents is found: are they this tenant's, by their ids?",
    )
  const { rerankCandidates } = deps.settings
  return {
    questions: count,
    reach,
    embeddingModel: embedder.model,
    reranker: deps.reranker?.model ?? null,
    rerankCandidates,
    ...tuneShares(gathered, deps.reranker, rerankCandidates),
  }
}

/** What of it is worth applying; null: nothing. */
export function worthApplying(tenant: string, learnt: LearntTuning): Omit<TenantTuning, "appliedAt"> | null {
  const { alpha, rerank, questions, embeddingModel } = learnt
  const share = rerank?.isSignificant ? rerank : null
  if (!alpha.isSignificant && !share) return null
  return {
    tenant,
    embeddingModel,
    alpha: alpha.isSignificant ? alpha.learnt : null,
    reranker: share && learnt.reranker,
    rerankShare: share?.learnt ?? null,
    evidence: {
      questions,
      ...(alpha.isSignificant && { alpha_gain: alpha.gain }),
      ...(share && { rerank_gain: share.gain }),
    },
  }
}
