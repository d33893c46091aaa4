import { LRUCache } from "lru-cache"
import type { Embedder, Embeddings, InferenceOptions } from "./inference.ts"

/** How many vectors are remembered of each kind. */
interface CacheSizes {
  readonly queries: number
  readonly passages: number
}

/** 1,000 questions of 1,024 dimensions take 4 MB, 8,000 passages 33 MB; of MiniLM's 384 a good third. */
const SIZES: CacheSizes = { queries: 1_000, passages: 8_000 }

interface Known {
  readonly vector: Float32Array
  readonly truncated: boolean
}

/**
 * The same embedder, remembering the latest vectors: paging and re-running a search embed a question once, and answers meet
 * the sentences of the same passages again. A list of questions goes straight through. Where texts are indexed the bare
 * embedder belongs: they come once. The vectors handed out are shared: don't change them.
 */
export function createCachedEmbedder(embedder: Embedder, sizes: Partial<CacheSizes> = {}): Embedder {
  const max = { ...SIZES, ...sizes }
  const queries = new LRUCache<string, Embeddings>({ max: max.queries })
  const passages = new LRUCache<string, Known>({ max: max.passages })

  async function embedPassages(texts: readonly string[], options?: InferenceOptions): Promise<Embeddings> {
    // Taken before the call: many new ones could push out those that were known.
    const known = new Map(texts.map((text) => [text, passages.get(text)]))
    const fresh = [...known].flatMap(([text, found]) => (found ? [] : [text]))
    const read = fresh.length > 0 ? await embedder.embed(fresh, "passage", options) : null
    fresh.forEach((text, i) => {
      const vector = read?.vectors[i]
      if (!vector) return
      const found = { vector, truncated: read.truncated.includes(i) }
      known.set(text, found)
      passages.set(text, found)
    })
    const all = texts.flatMap((text) => known.get(text) ?? [])
    return {
      vectors: all.map(({ vector }) => vector),
      truncated: all.flatMap(({ truncated }, i) => (truncated ? [i] : [])),
      tokens: read?.tokens ?? 0,
    }
  }

  return {
    model: embedder.model,
    dimensions: embedder.dimensions,
    maxTokens: embedder.maxTokens,
    ...(embedder.languages && { languages: embedder.languages }),
    countTokens: (text) => embedder.countTokens(text),
    async embed(texts, kind, options) {
      if (kind === "passage") return embedPassages(texts, options)
      const [text] = texts
      if (text === undefined || texts.length > 1) return embedder.embed(texts, kind, options)
      const known = queries.get(text)
      if (known) return known
      const found = await embedder.embed(texts, kind, options)
      queries.set(text, found)
      return found
    },
  }
}
