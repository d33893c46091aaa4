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

/** Tokens of a passage that are read to put it in order, and the power that its cosines are raised to: bench/README.md, Rerank. */
const ORDER_TOKENS_MAX = 128
const ORDER_POWER = 4

/** The vectors of a text's tokens, one after the other. */
type TokenVectors = Float32Array

/**
 * Scores by late interaction (MaxSim of ColBERT, Khattab and Zaharia 2020) over the token vectors of an encoder that
 * was not trained for it: each word of the query looks for its likest in the passage, and the score is the mean of these
 * cosines (0 to 1). Special tokens take no part. To put passages in order it reads their beginnings alone and takes the cosines'
 * fourth powers: nearly every passage has something at .4 of any word, which says nothing, and few have the word itself.
 */
export function createLateInteractionReranker({ model, queue }: LateInteractionParts): Reranker {
  const size = model.hiddenSize

  async function vectorsOf(batch: readonly TokenSequence[], options?: InferenceOptions): Promise<TokenVectors[]> {
    const { data, shape } = await queue.run("query", () => model.run(batch), options)
    const rowLength = (shape[1] ?? 0) * size
    return batch.map((input, row) => {
      const start = row * rowLength
      return data.slice(start + input.textStart * size, start + input.textEnd * size)
    })
  }

  const unitVectorsOf = async (text: string, options?: InferenceOptions): Promise<TokenVectors> => {
    const [vectors = new Float32Array()] = await vectorsOf([model.tokenizer.single(text)], options)
    return toUnit(vectors, size)
  }

  /** What `judge` makes of each passage's vectors, those of a batch in turn. */
  async function scoreEach(
    inputs: readonly TokenSequence[],
    judge: (passage: TokenVectors) => number,
    options: InferenceOptions,
  ): Promise<number[]> {
    const scores = new Array<number>(inputs.length).fill(0)
    for (const indices of batchesByLength(inputs.map((input) => input.ids.length))) {
      const batch = indices.map((i) => inputs[i] as TokenSequence)
      const vectors = await vectorsOf(batch, { ...options, isPatient: true })
      vectors.forEach((passage, row) => {
        scores[indices[row] as number] = judge(passage)
      })
    }
    return scores
  }

  return {
    model: `${model.name} (late interaction)`,
    relevantFrom: RELEVANT_FROM,
    async score(query, passages, options = {}) {
      await model.load(options.signal)
      if (passages.length === 0) return []
      const words = await unitVectorsOf(query, options)
      const inputs = passages.map((passage) => model.tokenizer.single(passage))
      return scoreEach(inputs, (passage) => maxSim(words, toUnit(passage, size), size), options)
    },
    async order(query, passages, options = {}) {
      await model.load(options.signal)
      if (passages.length === 0) return []
      const words = await unitVectorsOf(query, options)
      const inputs = passages.map((passage) => model.tokenizer.single(passage, ORDER_TOKENS_MAX))
      const judge = (passage: TokenVectors) => maxSim(words, toUnit(passage, size), size, ORDER_POWER)
      return scoreEach(inputs, judge, options)
    },
    async matchWords(query, passage, options = {}) {
      await model.load(options.signal)
      const queryVectors = await unitVectorsOf(query, options)
      const passageVectors = await unitVectorsOf(passage, { ...options, isPatient: true })
      const matches: WordMatch[] = []
      let at = 0
      for (const word of query.split(/\s+/).filter((word) => word !== "")) {
        const end = at + model.tokenizer.count(word) * size
        const read = (model.tokenizer.count(bare(word)) || model.tokenizer.count(word)) * size
        const vectors = queryVectors.subarray(at, Math.min(end, at + read))
        matches.push({ word, similarity: maxSim(vectors, passageVectors, size) })
        at = end
      }
      return matches
    },
  }
}

/** Without the marks and the genitive at its end: a passage rarely has a question mark, and its cosine speaks of no word. */
const bare = (word: string): string => word.replace(/(['’]s)?[^\p{L}\p{N}]*$/u, "")

/**
 * The mean over the query's tokens of the largest cosine with a token of the passage, all of unit length, raised to `power`; 0
 * when either has none.
 */
export function maxSim(query: TokenVectors, passage: TokenVectors, size: number, power = 1): number {
  if (query.length === 0 || passage.length === 0) return 0
  let sum = 0
  for (let q = 0; q < query.length; q += size) {
    let best = -1
    for (let p = 0; p < passage.length; p += size) {
      const cosine = dot(query, q, passage, p, size)
      if (cosine > best) best = cosine
    }
    sum += power === 1 ? best : Math.max(0, best) ** power
  }
  return (sum * size) / query.length
}

/** Four sums at a time, so that no addition waits for the one before: .4 of the time of one sum. */
function dot(a: Float32Array, atA: number, b: Float32Array, atB: number, size: number): number {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  let i = 0
  for (; i + 3 < size; i += 4) {
    first += (a[atA + i] as number) * (b[atB + i] as number)
    second += (a[atA + i + 1] as number) * (b[atB + i + 1] as number)
    third += (a[atA + i + 2] as number) * (b[atB + i + 2] as number)
    fourth += (a[atA + i + 3] as number) * (b[atB + i + 3] as number)
  }
  for (; i < size; i++) first += (a[atA + i] as number) * (b[atB + i] as number)
  return first + second + third + fourth
}

/** Each of unit length, in place. */
function toUnit(vectors: Float32Array, size: number): Float32Array {
  for (let start = 0; start < vectors.length; start += size) {
    const length = Math.sqrt(dot(vectors, start, vectors, start, size))
    const scale = length > 0 ? 1 / length : 0
    for (let i = start; i < start + size; i++) vectors[i] = (vectors[i] as number) * scale
  }
  return vectors
}
