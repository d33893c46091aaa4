import type { Deadline } from "../deadline.ts"
import type { InferenceOptions, Reranker } from "../inference/inference.ts"
import { headingsOf, passageText } from "../passage.ts"
import { byScore, type Candidate, type Scored } from "./candidate.ts"
import { minMax } from "./fuse.ts"
import { callModel } from "./model-call.ts"
import type { Tuning } from "./tuning.ts"

/**
 * Share of the reranker in the blend. Unblended, late interaction is worse than no reranking on some collections, and so
 * are published cross-encoders (bge-reranker-v2-m3 on four of five BEIR sets); at .3 it helps or does no harm.
 */
export const RERANK_SHARE = 0.3

export interface Reranked {
  readonly ranked: readonly Scored[]
  /** Why the order is still that of the fusion. */
  readonly missing?: string
}

interface RerankOptions {
  /** How many are read. */
  readonly count: number
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
  { count, tuning, deadline, timeoutMs }: RerankOptions,
): Promise<Reranked> {
  if (!reranker) return { ranked, missing: "no reranking model is configured" }
  const share = (tuning.reranker === reranker.model ? tuning.rerankShare : null) ?? RERANK_SHARE
  const head = ranked.slice(0, count)
  if (head.length < 2 || query === "" || share === 0) return { ranked }
  const texts = head.map(({ candidate }) => candidateText(candidate))
  const result = await callModel("reranking model", timeoutMs, deadline, (signal) =>
    scorePassages(reranker, query, texts, { signal }),
  )
  if ("missing" in result) return { ranked, missing: result.missing }
  return { ranked: [...blend(head, result.value, share), ...rescaled(ranked.slice(count), head, share)] }
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
  const scores = await reranker.score(query, texts, options)
  if (scores.length !== texts.length || !scores.every(Number.isFinite)) throw new Error("not one score a passage")
  return scores
}

/** The head in the order of fused and reranker's score, each on 0–1; `share` is the reranker's. */
export function blend(head: readonly Scored[], scores: readonly number[], share: number): Scored[] {
  const fused = minMax(head.map((scored) => scored.score))
  const reranked = minMax(scores)
  return head
    .map(({ candidate }, i) => ({
      candidate,
      score: (1 - share) * (fused[i] ?? 0) + share * (reranked[i] ?? 0),
    }))
    .sort(byScore)
}

/** The rest on the scale of the head's fused scores, whose least is 0. */
function rescaled(rest: readonly Scored[], head: readonly Scored[], share: number): Scored[] {
  const least = Math.min(...head.map((scored) => scored.score))
  const range = Math.max(...head.map((scored) => scored.score)) - least || 1
  return rest.map(({ candidate, score }) => ({ candidate, score: ((1 - share) * (score - least)) / range }))
}
