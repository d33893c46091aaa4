import * as z from "zod"
import { AppError } from "../errors.ts"
import { embeddingFamily, embeddingLanguages } from "./embedding-families.ts"
import type { Embedder } from "./inference.ts"
import type { InferenceService } from "./inference-service.ts"
import { remoteBatches } from "./remote-batches.ts"
import { estimateTokens, remoteTexts, unitVector } from "./remote-vectors.ts"

interface TeiEmbedderOptions {
  readonly service: InferenceService
  /** The model that the service runs; it is not asked for, but names the embedding space. */
  readonly model: string
  readonly dimensions: number
  /** Longest input of the model in tokens; 512 when not given. */
  readonly maxTokens?: number
}

/** Text Embeddings Inference takes 32 texts a request unless it is started with another `--max-client-batch-size`. */
const REQUEST_LIMITS = { textsMax: 32, charactersMax: 200_000 }

const EmbedAnswer = z.array(z.array(z.number()))

/** How many dimensions the vectors of the service's model have, by embedding one word. */
export async function askTeiDimensions(service: InferenceService): Promise<number> {
  const [vector] = await service.post("/embed", { inputs: ["dimensions"] }, EmbedAnswer)
  if (vector && vector.length > 0) return vector.length
  throw new AppError("inference_unavailable", "EMBED_SERVICE_URL answered without a vector.")
}

/**
 * Embeds through `POST /embed` of a service in the shape of Hugging Face Text Embeddings Inference, whose answer is
 * one vector a text, in order. The service itself cuts what is too long; tokens and truncation are estimated here.
 *
 * @throws AppError `inference_unavailable` when the service fails or answers with other vectors than expected
 */
export function createTeiEmbedder({ service, model, dimensions, maxTokens = 512 }: TeiEmbedderOptions): Embedder {
  const family = embeddingFamily(model)
  const languages = embeddingLanguages(model)
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
      for (const inputs of remoteBatches(fitting.texts, REQUEST_LIMITS)) {
        const body = { inputs, normalize: true, truncate: true }
        const answer = await service.post("/embed", body, EmbedAnswer, signal)
        const units = answer.flatMap((vector) => unitVector(vector, dimensions) ?? [])
        if (units.length !== inputs.length || answer.length !== inputs.length) {
          throw new AppError(
            "inference_unavailable",
            `EMBED_SERVICE_URL answered ${inputs.length} texts with ${answer.length} vectors of ` +
              `${answer[0]?.length ?? 0} dimensions; ${dimensions} are expected. Set EMBEDDING_MODEL and ` +
              "EMBEDDING_DIMENSIONS to what the service runs.",
          )
        }
        vectors.push(...units)
      }
      return { vectors, truncated: fitting.truncated, tokens: fitting.tokens }
    },
  }
}
