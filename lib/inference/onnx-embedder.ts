import { batchesByLength } from "./batches.ts"
import { embeddingFamily, embeddingLanguages } from "./embedding-families.ts"
import type { Embedder } from "./inference.ts"
import type { OnnxModel } from "./onnx-model.ts"
import type { TokenSequence } from "./tokenizer.ts"
import type { WorkQueue } from "./work-queue.ts"

interface OnnxEmbedderParts {
  readonly model: OnnxModel
  /** Shared by all models of the process. */
  readonly queue: WorkQueue
}

/**
 * Embeds with a model in this process: pooled as its family wants, then scaled to unit length. Passages are sorted by
 * length and batched by tokens. A question goes through the model alone: int8 models of the hub scale activations over a
 * whole batch, so batch mates would change its vector a little, and the same question must find the same passages.
 * Aborts between batches.
 */
export function createOnnxEmbedder({ model, queue }: OnnxEmbedderParts): Embedder {
  const family = embeddingFamily(model.name)
  const languages = embeddingLanguages(model.name)
  const poolsFirst = model.poolsFirstToken ?? family.pooling === "first"
  return {
    model: model.name,
    dimensions: model.hiddenSize,
    maxTokens: model.tokenizer.maxTokens,
    ...(languages && { languages }),
    countTokens: (text) => model.tokenizer.count(text),
    async embed(texts, kind, { signal, isPatient = false } = {}) {
      await model.load(signal)
      const prefix = kind === "query" ? family.queryPrefix : family.passagePrefix
      const inputs = texts.map((text) => model.tokenizer.single(prefix + text))
      const lengths = inputs.map((input) => input.ids.length)
      const batches = kind === "query" ? inputs.map((_, i) => [i]) : batchesByLength(lengths)
      const vectors = new Array<Float32Array>(texts.length)
      for (const [n, indices] of batches.entries()) {
        const batch = indices.map((i) => inputs[i] as TokenSequence)
        const { data, shape } = await queue.run(kind, () => model.run(batch), {
          signal,
          isPatient: isPatient || n > 0,
        })
        const width = shape[1] ?? 0
        batch.forEach((input, row) => {
          const tokens = poolsFirst ? 1 : input.ids.length
          const start = row * width * model.hiddenSize
          vectors[indices[row] as number] = pooled(data, start, tokens, model.hiddenSize)
        })
      }
      return {
        vectors,
        truncated: inputs.flatMap((input, i) => (input.isTruncated ? [i] : [])),
        tokens: lengths.reduce((sum, length) => sum + length, 0),
      }
    },
  }
}

/** The unit vector along the sum (so along the mean) of `tokens` vectors that lie one after the other from `start`. */
function pooled(data: Float32Array, start: number, tokens: number, size: number): Float32Array {
  const sum = new Float64Array(size)
  for (let token = 0; token < tokens; token++) {
    const from = start + token * size
    for (let i = 0; i < size; i++) sum[i] = (sum[i] as number) + (data[from + i] as number)
  }
  let squares = 0
  for (const x of sum) squares += x * x
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0
  return Float32Array.from(sum, (x) => x * scale)
}
