/** Whether a text is a question or what answers it: some models (E5, BGE) prefix the two differently. */
export type TextKind = "query" | "passage"

/** Options of one call to a model. */
export interface InferenceOptions {
  /** Aborts the call; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Waits its turn however many wait already: work that no caller waits for must not be shed. */
  readonly isPatient?: boolean
}

export interface Embeddings {
  /** One unit-length vector a text, in the order of the texts; `dimensions` long. */
  readonly vectors: readonly Float32Array[]
  /** Indices of the texts that were longer than `maxTokens` and lost their tails. */
  readonly truncated: readonly number[]
  /** Tokens that went through the model. */
  readonly tokens: number
}

/** Turns texts into vectors whose dot product is their likeness. */
export interface Embedder {
  /** Name of the model, as the embedding space is called: `sentence-transformers/all-MiniLM-L6-v2`. */
  readonly model: string
  readonly dimensions: number
  /** Longest input the model reads, special tokens counted. */
  readonly maxTokens: number
  /** The only languages that the model understands, as in BCP 47 (`en`); absent where it has many, or nobody knows. */
  readonly languages?: readonly string[]
  /** Tokens of the text as the model counts them, without special tokens; an estimate for models behind a service. */
  countTokens(text: string): number
  embed(texts: readonly string[], kind: TextKind, options?: InferenceOptions): Promise<Embeddings>
}

/** A word of a query, and how near the likest place of a passage comes to it. */
export interface WordMatch {
  /** As the query has it, between white space. */
  readonly word: string
  /** Mean cosine of its tokens, each with its likest token of the passage. */
  readonly similarity: number
}

/** Scores how well each passage answers the query; higher is better. */
export interface Reranker {
  readonly model: string
  /** Score from which a passage bears on the query; absent of a model whose scores are logits: 0. */
  readonly relevantFrom?: number
  score(query: string, passages: readonly string[], options?: InferenceOptions): Promise<readonly number[]>
  /**
   * Scores to put passages in order by, 0 to 1, where the model has some that take less or order better than `score`, whose scale
   * limits elsewhere are set by; absent: `score`.
   */
  order?(query: string, passages: readonly string[], options?: InferenceOptions): Promise<readonly number[]>
  /** How well a passage meets each word of the query, in their order; absent in models that read both as one. */
  matchWords?(query: string, passage: string, options?: InferenceOptions): Promise<readonly WordMatch[]>
}
