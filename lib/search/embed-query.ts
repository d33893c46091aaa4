import type { Deadline } from "../deadline.ts"
import type { Embedder } from "../inference/inference.ts"
import type { QueryVector } from "./find-candidates.ts"
import { callModel } from "./model-call.ts"
import { queryText } from "./query-text.ts"
import type { SearchRequest } from "./request.ts"

/** The question's vector; where there should have been one and is not, why. */
export interface EmbeddedQuery {
  readonly vector: QueryVector | null
  readonly missing?: string
}

/** The caller's vector, else that of the model; none for a query without words. */
export async function embedQuery(
  embedder: Embedder | null,
  request: Pick<SearchRequest, "query" | "embedding" | "embedding_model">,
  deadline: Deadline,
  timeoutMs: number,
): Promise<EmbeddedQuery> {
  if (request.embedding) {
    return { vector: { vector: request.embedding, model: request.embedding_model, fromCaller: true } }
  }
  const text = queryText(request.query ?? "")
  if (text === "") return { vector: null }
  if (!embedder) return { vector: null, missing: "no embedding model is configured" }
  const result = await callModel("embedding model", timeoutMs, deadline, async (signal) => {
    const { vectors } = await embedder.embed([text], "query", { signal })
    return vectors[0] ?? null
  })
  if ("missing" in result) return { vector: null, missing: result.missing }
  return { vector: result.value && { vector: result.value, model: embedder.model, fromCaller: false } }
}
