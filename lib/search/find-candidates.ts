import type { Strategy } from "../shapes.ts"
import type { Candidate } from "./candidate.ts"
import type { Filter } from "./filter.ts"
import type { Tuning } from "./tuning.ts"

/** The question's vector. Its space is that of `model`, or without one whichever has its dimensions. */
export interface QueryVector {
  readonly vector: ArrayLike<number>
  readonly model: string | undefined
  readonly fromCaller: boolean
}

/** What the lists are asked for. */
export interface CandidateQuery {
  /** As the caller wrote it; empty when there is a vector alone. */
  readonly query: string
  readonly language: string | undefined
  readonly nearestTo: QueryVector | null
  readonly strategy: Strategy
  /** `weighted`: share of meaning, 0–1; null: the tenant's. */
  readonly alpha: number | null
  readonly rrfK: number
  readonly byDocument: boolean
  /** What every candidate must fulfil. */
  readonly filter: Filter | undefined
  readonly denseDepth: number
  readonly lexicalDepth: number
  /** How many documents (or chunks) a list holds at least, if there are as many. */
  readonly wanted: number
  /** How many passages come along, those of the best; children of one parent share its passage. */
  readonly passages: number
  /** Whether those come with their vector too. */
  readonly vectors: boolean
  /** Whether those come with their parent's text in place of their own. */
  readonly parents: boolean
  /** Whether those come with the words to highlight. */
  readonly highlights: boolean
}

/** A word of the question that no passage has, and the words of the tenant's that were looked for beside it. */
export interface Correction {
  readonly word: string
  readonly as: readonly string[]
}

export interface FoundCandidates {
  /** Those of the union of both lists, in any order. */
  readonly candidates: readonly Candidate[]
  /** Whether there are vectors that the question's can be compared with. */
  readonly comparable: boolean
  /** What the lists had to do without, and why, in words for the caller: `words: …`. */
  readonly notes?: readonly string[]
  /** Words of the question that were taken for misspelt, in their order. */
  readonly corrections?: readonly Correction[]
  /** What the tenant was tuned to; absent of an index that isn't Concordance's own. */
  readonly tuning?: Tuning
}

/**
 * Both lists of a tenant, whichever index keeps them. Throws `invalid_request` for a vector or a filter that the index
 * can't take, `deadline_exceeded` after `timeoutMs`, and what says that the index doesn't answer.
 */
export type FindCandidates = (tenant: string, query: CandidateQuery, timeoutMs: number) => Promise<FoundCandidates>
