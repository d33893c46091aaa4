import { dot } from "../vector.ts"
import type { Scored } from "./candidate.ts"
import { minMax } from "./fuse.ts"

/** Likeness of two candidates, -1 to 1; 0 when one has no vector, so that it is neither favoured nor held back. */
function likeness(a: Scored, b: Scored): number {
  return a.candidate.vector && b.candidate.vector ? dot(a.candidate.vector, b.candidate.vector) : 0
}

/**
 * Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): picks one at a time what is relevant and unlike
 * what is already picked, `lambda * relevance - (1 - lambda) * likeness`. Relevance is the fused score on 0–1; `lambda`
 * 1 changes nothing. Gives `count` of the candidates, in the order picked, with the scores they came with.
 */
export function diversify(ranked: readonly Scored[], lambda: number, count: number): Scored[] {
  const relevance = minMax(ranked.map((scored) => scored.score))
  const pool = ranked.map((scored, i) => ({ scored, relevance: relevance[i] ?? 0, closest: 0 }))
  const picked: Scored[] = []
  while (picked.length < count && pool.length > 0) {
    let best = 0
    let bestValue = Number.NEGATIVE_INFINITY
    for (const [i, item] of pool.entries()) {
      const value = lambda * item.relevance - (1 - lambda) * item.closest
      if (value > bestValue) {
        best = i
        bestValue = value
      }
    }
    const [next] = pool.splice(best, 1)
    if (!next) break
    picked.push(next.scored)
    for (const item of pool) item.closest = Math.max(item.closest, likeness(item.scored, next.scored))
  }
  return picked
}
