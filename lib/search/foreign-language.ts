import type { DetectLanguage } from "../detect-language.ts"
import { understands } from "../inference/embedding-families.ts"
import type { Embedder } from "../inference/inference.ts"
import { queryText } from "./query-text.ts"
import type { SearchRequest } from "./request.ts"

/**
 * The question's language, given or detected, where the model doesn't understand it; null where it does, or where neither
 * is known. Its ranking of such questions is noise, which reciprocal ranks give as much weight as the words': of 30
 * Portuguese questions MiniLM, an English model, finds 6 in its top 3, words 28, and both by RRF 21.
 */
export async function foreignLanguage(
  embedder: Pick<Embedder, "languages"> | null,
  detector: (() => Promise<DetectLanguage>) | null,
  { query = "", language, embedding }: Pick<SearchRequest, "query" | "language" | "embedding">,
): Promise<string | null> {
  if (!embedder?.languages || embedding) return null
  const asked = language ?? (await detector?.())?.(queryText(query)) ?? null
  return asked === null || understands(embedder, asked) ? null : asked
}
