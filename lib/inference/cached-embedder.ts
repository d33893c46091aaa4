import { LRUCache } from "lru-cache"
import type { Embedder } from "./inference.ts"

/** 1,000 questions of 1,024 dimensions take 4 MB. */
const QUERIES_MAX = 1_000

/**
 * The same embedder, remembering the vectors of the latest single questions: paging and re-running a search embed it
 * once. Passages go straight through. The vectors handed out are shared: don't change them.
 */
export function createCachedEmbedder(embedder: Embedder, queriesMax: number = QUERIES_MAX): Embedder {
  const cache = new LRUCache<string, Awaited<ReturnType<Embedder["embed"]>>>({ max: queriesMax })
  return {
    model: embedder.model,
    dimensions: embedder.dimensions,
    maxTokens: embedder.maxTokens,
    ...(embedder.languages && { languages: embedder.languages }),
    countTokens: (text) => embedder.countTokens(text),
    async embed(texts, kind, options) {
      const [text] = texts
      if (kind !== "query" || text === undefined || texts.length > 1) return embedder.embed(texts, kind, options)
      const known = cache.get(text)
      if (known) return known
      const found = await embedder.embed(texts, kind, options)
      cache.set(text, found)
      return found
    },
  }
}
