import type { Strategy } from "../shapes.ts"
import { byScore, type Candidate, type Scored } from "./candidate.ts"

interface FuseOptions {
  readonly strategy: Strategy
  /** `weighted`: share of meaning, 0–1. */
  readonly alpha: number
  /** `rrf`: rank constant. */
  readonly rrfK: number
}

/**
 * Reciprocal rank fusion: 1 / (k + rank), summed over the lists that hold the candidate (Cormack, Clarke and Büttcher,
 * SIGIR 2009).
 */
export function rrfScore({ denseRank, lexicalRank }: Pick<Candidate, "denseRank" | "lexicalRank">, k: number): number {
  return (denseRank === null ? 0 : 1 / (k + denseRank)) + (lexicalRank === null ? 0 : 1 / (k + lexicalRank))
}

/** Maps the scores onto 0–1, least to greatest. A missing one is 0; where all are alike they are 1. */
export function minMax(scores: readonly (number | null)[]): number[] {
  const present = scores.filter((score) => score !== null)
  const least = Math.min(...present)
  const range = Math.max(...present) - least
  return scores.map((score) => (score === null ? 0 : range > 0 ? (score - least) / range : 1))
}

/**
 * The convex combination of both scores of every candidate, each min–max scaled over the union of the lists (Bruch,
 * Gai and Ingber, TOIS 2023). A chunk without a vector counts as the least near.
 */
function weightedScores(candidates: readonly Candidate[], alpha: number): number[] {
  const similarity = minMax(candidates.map((candidate) => candidate.similarity))
  const bm25 = minMax(candidates.map((candidate) => candidate.bm25))
  return candidates.map((_, i) => alpha * (similarity[i] ?? 0) + (1 - alpha) * (bm25[i] ?? 0))
}

function scores(candidates: readonly Candidate[], { strategy, alpha, rrfK }: FuseOptions): number[] {
  switch (strategy) {
    case "rrf":
      return candidates.map((candidate) => rrfScore(candidate, rrfK))
    case "weighted":
      return weightedScores(candidates, alpha)
    case "lexical":
      return candidates.map((candidate) => candidate.bm25 ?? 0)
    case "semantic":
    case "two_pass":
      return candidates.map((candidate) => candidate.similarity ?? -1)
  }
}

/** One ranking of the candidates of both lists, best first. */
export function fuse(candidates: readonly Candidate[], options: FuseOptions): Scored[] {
  const fused = scores(candidates, options)
  return candidates.map((candidate, i) => ({ candidate, score: fused[i] ?? 0 })).sort(byScore)
}
