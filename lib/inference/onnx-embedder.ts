import { batchesByLength } from "./batches.ts"
import { embeddingFamily, embeddingLanguages } from "./embedding-families.ts"
import type { Embedder } from "./inference.ts"
import type { OnnxModel } from "./onnx-model.ts"
import type { PassageThread } from "./passage-thread.ts"
import { type Pooling, poolTokens } from "./pool-tokens.ts"
import type { TokenSequence } from "./tokenizer.ts"
import type { WorkQueue } from "./work-queue.ts"

interface OnnxEmbedderParts {
  readonly model: OnnxModel
  /** Shared by all models of the process. */
  readonly queue: WorkQueue
  /** Where passages are embedded beside the questions, with a queue of their own; null: in turn with them. */
  readonly apart?: { readonly thread: PassageThread; readonly queue: WorkQueue } | null
}

/**
 * Embeds with a model in this process: pooled as its family wants, then scaled to unit length. Passages are sorted by
 * length and batched by tokens. A question goes through the model alone: int8 models of the hub scale activations over a
 * whole batch, so batch mates would change its vector a little, and the same question must find the same passages.
 * Aborts between batches.
 */
export function createOnnxEmbedder({ model, queue, apart = null }: OnnxEmbedderParts): Embedder {
  const family = embeddingFamily(model.name)
  const languages = embeddingLanguages(model.name)
  const pooling = poolingOf(model)
  const runHere = async (batch: readonly TokenSequence[]) => {
    const { data, shape } = await model.run(batch)
    const lengths = batch.map(({ ids }) => ids.length)
    return poolTokens(data, shape[1] ?? 0, lengths, pooling)
  }
  return {
    model: model.name,
    dimensions: model.hiddenSize,
    maxTokens: model.tokenizer.maxTokens,
    ...(languages && { languages }),
    countTokens: (text) => model.tokenizer.count(text),
    async embed(texts, kind, { signal, isPatient = false } = {}) {
      const thread = kind === "passage" ? apart : null
      if (!thread) await model.load(signal)
      const prefix = kind === "query" ? family.queryPrefix : family.passagePrefix
      const inputs = texts.map((text) => model.tokenizer.single(prefix + text))
      const lengths = inputs.map((input) => input.ids.length)
      const batches = kind === "query" ? inputs.map((_, i) => [i]) : batchesByLength(lengths)
      const vectors = new Array<Float32Array>(texts.length)
      for (const [n, indices] of batches.entries()) {
        const batch = indices.map((i) => inputs[i] as TokenSequence)
        const run = () => (thread ? thread.thread.embed(batch) : runHere(batch))
        const options = { signal, isPatient: isPatient || n > 0 }
        const made = await (thread?.queue ?? queue).run(kind, run, options)
        for (const [row, index] of indices.entries()) vectors[index] = made[row] as Float32Array
      }
      return {
        vectors,
        truncated: inputs.flatMap((input, i) => (input.isTruncated ? [i] : [])),
        tokens: lengths.reduce((sum, length) => sum + length, 0),
      }
    },
  }
}

/** How a model's token vectors become a text's: as its folder says, else as its family does. */
export function poolingOf({ name, poolsFirstToken, hiddenSize }: OnnxModel): Pooling {
  return { poolsFirst: poolsFirstToken ?? embeddingFamily(name).pooling === "first", size: hiddenSize }
}
