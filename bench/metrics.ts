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

/** Share of the relevant documents among the first `depth`; 0 for a query without one. */
export function recall(ranked: readonly string[], judgements: Judgements, depth = 100): number {
  const relevant = [...judgements].filter(([, grade]) => grade > 0).map(([id]) => id)
  const found = new Set(ranked.slice(0, depth))
  return relevant.length === 0 ? 0 : relevant.filter((id) => found.has(id)).length / relevant.length
}

/** Share of the first list that the second holds too; 1 when the first is empty. */
export function overlap(expected: readonly string[], actual: readonly string[]): number {
  const held = new Set(actual)
  return expected.length === 0 ? 1 : expected.filter((id) => held.has(id)).length / expected.length
}

/** The nearest-rank percentile: the smallest value that at least `percent` of the values don't exceed. NaN of nothing. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

/** Arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Rounds to `digits` decimals, so that a baseline's file changes only where a figure did. */
export function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}

/** Wilson's interval of a share, 95 %: where the true one lies, given that `count` of `of` were so. NaN of nothing. */
export function wilson(count: number, of: number): readonly [number, number] {
  const z = 1.96
  const share = count / of
  const centre = (share + z ** 2 / (2 * of)) / (1 + z ** 2 / of)
  const half = (z / (1 + z ** 2 / of)) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2))
  return [centre - half, centre + half]
}
