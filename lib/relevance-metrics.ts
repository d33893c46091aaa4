/** Judged documents of one query and how relevant each is: 0 for not at all. */
export type Judgements = ReadonlyMap<string, number>

/**
 * nDCG at `depth`, as trec_eval and BEIR compute it: the gain is the grade itself, the discount log2(rank + 1), and
 * the ideal ranking is that of all judged documents. An unjudged document gains nothing; a query without a relevant
 * document scores 0. A document counts where it first stands.
 */
export function ndcg(ranked: readonly string[], judgements: Judgements, depth = 10): number {
  const gains = [...new Set(ranked)].slice(0, depth).map((id) => judgements.get(id) ?? 0)
  const ideal = [...judgements.values()].sort((a, b) => b - a).slice(0, depth)
  const best = discounted(ideal)
  return best === 0 ? 0 : discounted(gains) / best
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + Math.max(0, gain) / Math.log2(index + 2), 0)
}

/** Share of the first list that the second holds too; 1 when the first is empty. */
export function overlap(expected: readonly string[], actual: readonly string[]): number {
  const held = new Set(actual)
  return expected.length === 0 ? 1 : expected.filter((id) => held.has(id)).length / expected.length
}

/** Arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** A mean and where the true one lies, 95 %. */
export interface MeanInterval {
  readonly mean: number
  readonly low: number
  readonly high: number
}

const RESAMPLES = 2_000

/** The mean of values with its bootstrap interval: the 2.5th and 97.5th percentile of the means of resamples. NaN of nothing. */
export function bootstrapMean(values: readonly number[], random: () => number = Math.random): MeanInterval {
  const resampled = Array.from({ length: RESAMPLES }, () =>
    mean(values.map(() => values[Math.floor(random() * values.length)] ?? 0)),
  ).sort((a, b) => a - b)
  const at = (share: number): number => resampled[Math.round(share * (RESAMPLES - 1))] ?? Number.NaN
  return { mean: mean(values), low: at(0.025), high: at(0.975) }
}
