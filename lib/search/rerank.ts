import type { Deadline } from "../deadline.ts"
import type { InferenceOptions, Reranker } from "../inference/inference.ts"
import { headingsOf, passageText } from "../passage.ts"
import { byScore, type Candidate, type Scored } from "./candidate.ts"
import { minMax } from "./fuse.ts"
import { callModel } from "./model-call.ts"
import type { Tuning } from "./tuning.ts"

/** Share of a reranker in the blend where the tenant has none of its own: bench/README.md, Rerank. */
export function defaultShare(reranker: Pick<Reranker, "order">): number {
  return reranker.order ? ORDER_SHARE : SCORE_SHARE
}

/**
 * Of one whose scores are of a fixed scale. From .2 to .35 it helps on both collections; unblended, late interaction is worse than no
 * reranking.
 */
const ORDER_SHARE = 0.25
/** Of others: published cross-encoders too lose unblended on some collections (bge-reranker-v2-m3 on four of five BEIR sets). */
const SCORE_SHARE = 0.3

export interface Reranked {
  readonly ranked: readonly Scored[]
  /** Why the order is still that of the fusion. */
  readonly missing?: string
}

interface RerankOptions {
  /** How many are read. */
  readonly count: number
  /** All that fusion ranked, before any was left out. */
  readonly fused: readonly Scored[]
  readonly tuning: Tuning
  readonly deadline: Deadline
  readonly timeoutMs: number
}

/**
 * Orders the first `count` anew, by fused and reranker's score blended on 0–1; the others follow as they came, their
 * scores on the same scale (0 and below). When the reranker fails or is late, all stay as they came.
 */
export async function rerank(
  reranker: Reranker | null,
  query: string,
  ranked: readonly Scored[],
  { count, fused, tuning, deadline, timeoutMs }: RerankOptions,
): Promise<Reranked> {
  if (!reranker) return { ranked, missing: "no reranking model is configured" }
  const share = (tuning.reranker === reranker.model ? tuning.rerankShare : null) ?? defaultShare(reranker)
  const head = ranked.slice(0, count)
  if (head.length < 2 || query === "" || share === 0) return { ranked }
  const texts = head.map(({ candidate }) => candidateText(candidate))
  const result = await callModel("reranking model", timeoutMs, deadline, (signal) =>
    scorePassages(reranker, query, texts, { signal }),
  )
  if ("missing" in result) return { ranked, missing: result.missing }
  const scale = blendScale(reranker, fused, head)
  return { ranked: [...blend(head, result.value, share, scale), ...rescaled(ranked.slice(count), share, scale)] }
}

/** What the reranker reads of a candidate. */
export function candidateText({ passage }: Candidate): string {
  return passage ? passageText(passage.title, headingsOf(passage.metadata), passage.content) : ""
}

/** One score a passage, in their order. Throws what the model throws, and where it gives anything else. */
export async function scorePassages(
  reranker: Reranker,
  query: string,
  texts: readonly string[],
  options: InferenceOptions,
): Promise<readonly number[]> {
  const scores = await (reranker.order ? reranker.order(query, texts, options) : reranker.score(query, texts, options))
  if (scores.length !== texts.length || !scores.every(Number.isFinite)) throw new Error("not one score a passage")
  return scores
}

/** What the scores of a blend are measured by. */
export interface BlendScale {
  /** Least and greatest fused score, which become 0 and 1. */
  readonly least: number
  readonly greatest: number
  /** Whether the reranker's scores are 0–1 as they are; others are stretched from the head's least to its greatest. */
  readonly isFixed: boolean
}

/**
 * A reranker that says by a fixed scale how well a passage answers changes little where all passages answer alike: its scores stay as
 * they are, beside fused ones scaled over all that was `fused`. The others' scale is the head.
 */
export function blendScale(
  reranker: Pick<Reranker, "order">,
  fused: readonly Scored[],
  head: readonly Scored[],
): BlendScale {
  const isFixed = reranker.order !== undefined
  const scores = (isFixed ? fused : head).map(({ score }) => score)
  return { least: Math.min(...scores), greatest: Math.max(...scores), isFixed }
}

/** The head in the order of fused and reranker's score, each on 0–1; `share` is the reranker's. */
export function blend(head: readonly Scored[], scores: readonly number[], share: number, scale: BlendScale): Scored[] {
  const fused = rescaled(head, share, scale)
  const reranked = scale.isFixed ? scores : minMax(scores)
  return fused
    .map(({ candidate, score }, i) => ({ candidate, score: score + share * (reranked[i] ?? 0) }))
    .sort(byScore)
}

/** What wasn't reranked on the same scale, below the head. */
function rescaled(scored: readonly Scored[], share: number, { least, greatest }: BlendScale): Scored[] {
  const range = greatest - least || 1
  return scored.map(({ candidate, score }) => ({ candidate, score: ((1 - share) * (score - least)) / range }))
}
