import { randomFrom } from "../lib/random.ts"
import { bootstrapMean, type Judgements, type MeanInterval } from "../lib/relevance-metrics.ts"

/** Share of the relevant documents among the first `depth`; 0 for a query without one. */
export function recall(ranked: readonly string[], judgements: Judgements, depth = 100): number {
  const relevant = [...judgements].filter(([, grade]) => grade > 0).map(([id]) => id)
  const found = new Set(ranked.slice(0, depth))
  return relevant.length === 0 ? 0 : relevant.filter((id) => found.has(id)).length / relevant.length
}

/** The nearest-rank percentile: the smallest value that at least `percent` of the values don't exceed. NaN of nothing. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
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

/** The mean of differences, question by question, with its bootstrap interval, 95 %; the same on every run. */
export function meanInterval(differences: readonly number[]): MeanInterval {
  const { mean, low, high } = bootstrapMean(differences, randomFrom(1))
  return { mean: round(mean, 4), low: round(low, 4), high: round(high, 4) }
}
