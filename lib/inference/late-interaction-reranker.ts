import { batchesByLength } from "./batches.ts"
import type { InferenceOptions, Reranker, WordMatch } from "./inference.ts"
import type { OnnxModel } from "./onnx-model.ts"
import type { TokenSequence } from "./tokenizer.ts"
import type { WorkQueue } from "./work-queue.ts"

interface LateInteractionParts {
  /** An encoder; the embedder's own, so that its weights are in memory once. */
  readonly model: OnnxModel
  /** Shared by all models of the process. */
  readonly queue: WorkQueue
}

/**
 * Of passages that answer questions about `samples/`, 8 of 9 score as much, those among them that share no content word
 * with their question; of those found for questions off the topic none of 24 does: `tests/relevance-threshold.test.ts`.
 * Of other passages on the topic two thirds do: it is a coarse judge.
 */
const RELEVANT_FROM = 0.35

/** The vectors of a text's tokens, each of unit length, one after the other. */
type TokenVectors = Float32Array

/**
 * Scores by late interaction (MaxSim of ColBERT, Khattab and Zaharia 2020) over the token vectors of an encoder that
 * was not trained for it: each word of the query looks for its likest in the passage, and the score is the mean of these
 * cosines (0 to 1). Blended 30 to 70 with the fused score it gains .009 nDCG@10; alone it orders worse than that score.
 * Special tokens take no part. About 150 passages of 120 tokens a second on two cores.
 */
export function createLateInteractionReranker({ model, queue }: LateInteractionParts): Reranker {
  async function vectorsOf(batch: readonly TokenSequence[], options?: InferenceOptions): Promise<TokenVectors[]> {
    const { data, shape } = await queue.run("query", () => model.run(batch), options)
    const rowLength = (shape[1] ?? 0) * model.hiddenSize
    return batch.map((input, row) => {
      const start = row * rowLength
      const text = data.slice(start + input.textStart * model.hiddenSize, start + input.textEnd * model.hiddenSize)
      normalizeEach(text, model.hiddenSize)
      return text
    })
  }

  return {
    model: `${model.name} (late interaction)`,
    relevantFrom: RELEVANT_FROM,
    async score(query, passages, options = {}) {
      await model.load(options.signal)
      const inputs = passages.map((passage) => model.tokenizer.single(passage))
      const scores = new Array<number>(passages.length).fill(0)
      if (passages.length === 0) return scores
      const [queryVectors] = await vectorsOf([model.tokenizer.single(query)], options)
      for (const indices of batchesByLength(inputs.map((input) => input.ids.length))) {
        const batch = indices.map((i) => inputs[i] as TokenSequence)
        const vectors = await vectorsOf(batch, { ...options, isPatient: true })
        vectors.forEach((passage, row) => {
          scores[indices[row] as number] = maxSim(queryVectors as TokenVectors, passage, model.hiddenSize)
        })
      }
      return scores
    },
    async matchWords(query, passage, options = {}) {
      await model.load(options.signal)
      const [queryVectors] = await vectorsOf([model.tokenizer.single(query)], options)
      const [passageVectors] = await vectorsOf([model.tokenizer.single(passage)], { ...options, isPatient: true })
      const matches: WordMatch[] = []
      let at = 0
      for (const word of query.split(/\s+/).filter((word) => word !== "")) {
        const end = at + model.tokenizer.count(word) * model.hiddenSize
        const read = (model.tokenizer.count(bare(word)) || model.tokenizer.count(word)) * model.hiddenSize
        const vectors = (queryVectors as TokenVectors).subarray(at, Math.min(end, at + read))
        matches.push({ word, similarity: maxSim(vectors, passageVectors as TokenVectors, model.hiddenSize) })
        at = end
      }
      return matches
    },
  }
}

/** Without the marks and the genitive at its end: a passage rarely has a question mark, and its cosine speaks of no word. */
const bare = (word: string): string => word.replace(/(['’]s)?[^\p{L}\p{N}]*$/u, "")

/** The mean over the query's tokens of the largest cosine with a token of the passage; 0 when either has none. */
export function maxSim(query: TokenVectors, passage: TokenVectors, size: number): number {
  if (query.length === 0 || passage.length === 0) return 0
  let sum = 0
  for (let q = 0; q < query.length; q += size) {
    let best = -1
    for (let p = 0; p < passage.length; p += size) {
      let dot = 0
      for (let i = 0; i < size; i++) dot += (query[q + i] as number) * (passage[p + i] as number)
      if (dot > best) best = dot
    }
    sum += best
  }
  return (sum * size) / query.length
}

function normalizeEach(vectors: Float32Array, size: number): void {
  for (let start = 0; start < vectors.length; start += size) {
    let squares = 0
    for (let i = start; i < start + size; i++) squares += (vectors[i] as number) ** 2
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0
    for (let i = start; i < start + size; i++) vectors[i] = (vectors[i] as number) * scale
  }
}
