import type { Region, Translation } from "../shapes.ts"
import type { SearchHit } from "./response.ts"

/** What is shown of a candidate: its own text, or its parent's. */
export interface Passage {
  readonly title: string
  readonly content: string
  readonly language: string
  readonly metadata: Record<string, unknown>
  readonly regions: readonly Region[]
  readonly page: number | null
  /** Words of `content` that match the question, as they are written there; null where nobody asked for them. */
  readonly matchingWords: readonly string[] | null
  readonly translation: Translation | null
  /** Generation of the document, where it has the page. */
  readonly version: string | null
  /** Whether there is a picture of the passage: its page's or its own. */
  readonly hasPicture: boolean
  /** Null where the index doesn't know. */
  readonly kind: SearchHit["kind"] | null
  /** Kinds of what is odd about it. */
  readonly anomalies: readonly string[]
}

/** A chunk that one list or both brought up, with what each says of it. Ranks start at 1. */
export interface Candidate {
  /** The chunk's key in the database. */
  readonly key: string
  readonly documentId: string
  readonly chunkId: string
  /** Id of the chunk whose text is shown: its own, or its parent's. */
  readonly shownId: string
  /** Cosine similarity to the question, -1 to 1. */
  readonly similarity: number | null
  readonly denseRank: number | null
  /** BM25 score. */
  readonly bm25: number | null
  readonly lexicalRank: number | null
  /** There for the candidates that fusion can bring into the answer. */
  readonly passage: Passage | null
  /** There when asked for; unit length. */
  readonly vector: Float32Array | null
}

/** A candidate with the score of the latest stage; higher is better. */
export interface Scored {
  readonly candidate: Candidate
  readonly score: number
}

/** Best score first; ties by document id and then chunk id, by bytes, as the database orders them. */
export function byScore(a: Scored, b: Scored): number {
  return (
    b.score - a.score ||
    Buffer.compare(Buffer.from(a.candidate.documentId), Buffer.from(b.candidate.documentId)) ||
    Buffer.compare(Buffer.from(a.candidate.chunkId), Buffer.from(b.candidate.chunkId))
  )
}
