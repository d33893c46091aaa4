import * as z from "zod"
import { AppError } from "../errors.ts"
import type { Reranker } from "./inference.ts"
import type { InferenceService } from "./inference-service.ts"
import { remoteBatches } from "./remote-batches.ts"

interface TeiRerankerOptions {
  readonly service: InferenceService
  /** The model that the service runs, for logs. */
  readonly model: string
}

const REQUEST_LIMITS = { textsMax: 32, charactersMax: 200_000 }

const RerankAnswer = z.array(z.object({ index: z.int().min(0), score: z.number() }))

/**
 * Scores through `POST /rerank` of a service in the shape of Hugging Face Text Embeddings Inference, whose answer is
 * `{index, score}` for each text, best first. Raw scores are asked for: squeezed into 0 to 1, good passages tie.
 *
 * @throws AppError `inference_unavailable` when the service fails or leaves a text out
 */
export function createTeiReranker({ service, model }: TeiRerankerOptions): Reranker {
  return {
    model,
    async score(query, passages, { signal } = {}) {
      signal?.throwIfAborted()
      const scores: number[] = []
      for (const texts of remoteBatches(passages, REQUEST_LIMITS)) {
        const answer = await service.post(
          "/rerank",
          { query, texts, raw_scores: true, truncate: true },
          RerankAnswer,
          signal,
        )
        const byIndex = new Map(answer.map(({ index, score }) => [index, score]))
        for (const index of texts.keys()) {
          const score = byIndex.get(index)
          if (score === undefined) {
            throw new AppError(
              "inference_unavailable",
              `EMBED_SERVICE_URL scored ${byIndex.size} of ${texts.length} passages: check that it runs a reranker.`,
            )
          }
          scores.push(score)
        }
      }
      return scores
    },
  }
}
