import * as z from "zod"
import { AppError } from "../errors.ts"
import { embeddingFamily, embeddingLanguages } from "./embedding-families.ts"
import type { Embedder } from "./inference.ts"
import type { InferenceService } from "./inference-service.ts"
import { remoteBatches } from "./remote-batches.ts"
import { estimateTokens, remoteTexts, unitVector } from "./remote-vectors.ts"

interface OpenAiEmbedderOptions {
  readonly service: InferenceService
  /** As the service calls it: `text-embedding-3-small`, `openai/text-embedding-3-small` at OpenRouter. */
  readonly model: string
  readonly dimensions: number
  /** What the model gives when it isn't asked for another number; `undefined` when unknown. */
  readonly ownDimensions?: number | undefined
  /** Longest input of the model in tokens; 8,191, as OpenAI's have, when not given. */
  readonly maxTokens?: number
}

/** One request: OpenAI takes up to 2,048 texts and 300,000 tokens, other services less. */
const REQUEST_LIMITS = { textsMax: 128, charactersMax: 200_000 }

const EmbeddingsAnswer = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()) })),
})

/** How many dimensions the model's vectors have, by embedding one word. */
export async function askOpenAiDimensions(service: InferenceService, model: string): Promise<number> {
  const { data } = await service.post("/embeddings", { model, input: ["dimensions"] }, EmbeddingsAnswer)
  const dimensions = data[0]?.embedding.length ?? 0
  if (dimensions > 0) return dimensions
  throw new AppError("inference_unavailable", `The embedding model ${model} answered without a vector.`)
}

/**
 * Embeds through the `/embeddings` route of an OpenAI-compatible service. `dimensions` is asked for when the model's
 * own differ from it, or have turned out to: some services refuse a request that names them. Tokens are estimated.
 *
 * @throws AppError `inference_unavailable` when the service fails or answers with other vectors than asked for
 */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const { service, model, dimensions, ownDimensions, maxTokens = 8_191 } = options
  const family = embeddingFamily(model)
  const languages = embeddingLanguages(model)
  let asksForDimensions = ownDimensions !== undefined && ownDimensions !== dimensions

  async function vectorsOf(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const body = { model, input: texts, encoding_format: "float", ...(asksForDimensions ? { dimensions } : {}) }
    const { data } = await service.post("/embeddings", body, EmbeddingsAnswer, signal)
    const isOfOtherLength = data.some(({ embedding }) => embedding.length !== dimensions)
    if (isOfOtherLength && !asksForDimensions) {
      asksForDimensions = true
      return vectorsOf(texts, signal)
    }
    return inOrder(data, texts.length, model, dimensions)
  }

  return {
    model,
    dimensions,
    maxTokens,
    ...(languages && { languages }),
    countTokens: (text) => estimateTokens(text, languages),
    async embed(texts, kind, { signal } = {}) {
      signal?.throwIfAborted()
      const fitting = remoteTexts(texts, kind, family, maxTokens, languages)
      const vectors: Float32Array[] = []
      for (const batch of remoteBatches(fitting.texts, REQUEST_LIMITS))
        vectors.push(...(await vectorsOf(batch, signal)))
      return { vectors, truncated: fitting.truncated, tokens: fitting.tokens }
    },
  }
}

function inOrder(
  data: z.infer<typeof EmbeddingsAnswer>["data"],
  count: number,
  model: string,
  dimensions: number,
): Float32Array[] {
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]))
  return Array.from({ length: count }, (_, index) => {
    const embedding = byIndex.get(index)
    const vector = embedding && unitVector(embedding, dimensions)
    if (vector) return vector
    throw new AppError(
      "inference_unavailable",
      embedding
        ? `The embedding model ${model} answers with ${embedding.length} dimensions or a zero vector where ` +
            `${dimensions} dimensions are expected. Set EMBEDDING_DIMENSIONS to what the model has.`
        : `The embedding model ${model} answered for ${data.length} of ${count} texts.`,
    )
  })
}
