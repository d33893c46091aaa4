import type { Reranker } from "../../inference/inference.ts"
import { randomFrom } from "../../random.ts"
import { bootstrapMean, type MeanInterval, mean, ndcg } from "../../relevance-metrics.ts"
import type { Scored } from "../candidate.ts"
import { fuse } from "../fuse.ts"
import { blend, blendScale, defaultShare } from "../rerank.ts"
import { DEFAULT_ALPHA } from "../tuning.ts"
import { bestSetting, crossValidate } from "./cross-validate.ts"
import type { GatheredQuestion } from "./gather-questions.ts"

/** Shares of meaning, and of the reranker, that are tried. */
export const ALPHAS = steps(0, 1, 0.1)
const SHARES = steps(0, 0.9, 0.05)

/** What was learnt of one share. */
export interface TunedShare {
  readonly standard: number
  /** What all questions together choose. */
  readonly learnt: number
  /** Mean nDCG@10 under the default, and under what was chosen without the question (cross-validated). */
  readonly before: number
  readonly after: number
  /** The mean difference with its bootstrap interval, 95 %. */
  readonly gain: MeanInterval
  /** Whether the interval is above 0: only then is it worth applying. */
  readonly isSignificant: boolean
}

export interface TunedShares {
  readonly alpha: TunedShare
  /** Beside the share of meaning that is worth applying; null without a reranker. */
  readonly rerank: TunedShare | null
}

/** The same figures each time. */
const SEED = 20_091

/**
 * Learns the share of meaning, then the reranker's share beside it, by nDCG@10 over documents. What a question is judged under was
 * chosen by other questions: five folds, divided twenty times. `depth` is how many the reranker reads.
 */
export function tuneShares(
  questions: readonly GatheredQuestion[],
  reranker: Pick<Reranker, "order"> | null,
  depth: number,
): TunedShares {
  const orders = ALPHAS.map((alpha) =>
    questions.map(({ candidates }) => fuse(candidates, { strategy: "weighted", alpha, rrfK: 0 })),
  )
  const plain = orders.map((order) => order.map((ranked, at) => judge(ranked, questions[at])))
  const standard = ALPHAS.indexOf(DEFAULT_ALPHA)
  const all = questions.map((_, at) => at)
  const alphaOf = (training: readonly number[]) => bestSetting(plain, training, standard)
  const held = crossValidate(questions.length, alphaOf, (chosen, at) => plain[chosen]?.[at] ?? 0, randomFrom(SEED))
  const learnt = alphaOf(all)
  const alpha = toShare(DEFAULT_ALPHA, ALPHAS[learnt] ?? DEFAULT_ALPHA, plain[standard] ?? [], held)
  if (!reranker) return { alpha, rerank: null }
  const used = alpha.isSignificant ? learnt : standard
  const reordering = { reranker, depth }
  const table = SHARES.map((share) =>
    (orders[used] ?? []).map((ranked, at) =>
      judge(reordered(ranked, questions[at], { ...reordering, share }), questions[at]),
    ),
  )
  return { alpha, rerank: tuneShare(table, all, defaultShare(reranker)) }
}

function tuneShare(table: readonly (readonly number[])[], all: readonly number[], share: number): TunedShare {
  const standard = SHARES.indexOf(share)
  const choose = (training: readonly number[]) => bestSetting(table, training, standard)
  const held = crossValidate(all.length, choose, (chosen, at) => table[chosen]?.[at] ?? 0, randomFrom(SEED))
  return toShare(share, SHARES[choose(all)] ?? share, table[standard] ?? [], held)
}

function toShare(standard: number, learnt: number, before: readonly number[], after: readonly number[]): TunedShare {
  const gain = bootstrapMean(
    after.map((value, at) => value - (before[at] ?? 0)),
    randomFrom(SEED),
  )
  // Nothing is learnt where the default itself was best.
  const isSignificant = gain.low > 0 && learnt !== standard
  return { standard, learnt, before: mean(before), after: mean(after), gain, isSignificant }
}

interface Reordering {
  readonly reranker: Pick<Reranker, "order">
  readonly depth: number
  readonly share: number
}

function reordered(
  ranked: readonly Scored[],
  question: GatheredQuestion | undefined,
  { reranker, depth, share }: Reordering,
): readonly Scored[] {
  const head = ranked.slice(0, depth)
  if (share === 0 || !question || question.reranked.size === 0 || head.length < 2) return ranked
  const scores = head.map(({ candidate }) => question.reranked.get(candidate.key) ?? 0)
  return [...blend(head, scores, share, blendScale(reranker, ranked, head)), ...ranked.slice(depth)]
}

function judge(ranked: readonly Scored[], question: GatheredQuestion | undefined): number {
  return ndcg(
    ranked.map(({ candidate }) => candidate.documentId),
    question?.judgements ?? new Map(),
  )
}

/** Hundredths, so that each is the number that is written. */
function steps(from: number, to: number, step: number): readonly number[] {
  return Array.from(
    { length: Math.round((to - from) / step) + 1 },
    (_, at) => Math.round((from + at * step) * 100) / 100,
  )
}
