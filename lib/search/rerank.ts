import type { Deadline } from "../deadline.ts"
import type { Reranker } from "../inference/inference.ts"
import { headingsOf, passageText } from "../passage.ts"
import { byScore, type Scored } from "./candidate.ts"
import { minMax } from "./fuse.ts"
import { callModel } from "./model-call.ts"

/**
 * Share of the reranker in the blend. Unblended, late interaction is worse than no reranking on some collections, and so
 * are published cross-encoders (bge-reranker-v2-m3 on four of five BEIR sets); at .3 it helps or does no harm.
 */
const RERANK_SHARE = 0.3

export interface Reranked {
  readonly ranked: readonly Scored[]
  /** Why the order is still that of the fusion. */
  readonly missing?: string
}

/**
 * Orders the first `count` anew, by fused and reranker's score blended on 0–1; the others follow as they came, their
 * scores on the same scale (0 and below). When the reranker fails or is late, all stay as they came.
 */
export async function rerank(
  reranker: Reranker | null,
  query: string,
  ranked: readonly Scored[],
  count: number,
  deadline: Deadline,
  timeoutMs: number,
): Promise<Reranked> {
  if (!reranker) return { ranked, missing: "no reranking model is configured" }
  const head = ranked.slice(0, count)
  if (head.length < 2 || query === "") return { ranked }
  const texts = head.map(({ candidate: { passage } }) =>
    passage ? passageText(passage.title, headingsOf(passage.metadata), passage.content) : "",
  )
  const result = await callModel("reranking model", timeoutMs, deadline, async (signal) => {
    const scores = await reranker.score(query, texts, { signal })
    if (scores.length !== texts.length || !scores.every(Number.isFinite)) throw new Error("not one score a passage")
    return scores
  })
  if ("missing" in result) return { ranked, missing: result.missing }
  return { ranked: [...blend(head, result.value), ...rescaled(ranked.slice(count), head)] }
}

function blend(head: readonly Scored[], scores: readonly number[]): Scored[] {
  const fused = minMax(head.map((scored) => scored.score))
  const reranked = minMax(scores)
  return head
    .map(({ candidate }, i) => ({
      candidate,
      score: (1 - RERANK_SHARE) * (fused[i] ?? 0) + RERANK_SHARE * (reranked[i] ?? 0),
    }))
    .sort(byScore)
}

/** The rest on the scale of the head's fused scores, whose least is 0. */
function rescaled(rest: readonly Scored[], head: readonly Scored[]): Scored[] {
  const least = Math.min(...head.map((scored) => scored.score))
  const range = Math.max(...head.map((scored) => scored.score)) - least || 1
  return rest.map(({ candidate, score }) => ({ candidate, score: ((1 - RERANK_SHARE) * (score - least)) / range }))
}
