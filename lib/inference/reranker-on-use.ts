import { once } from "../once.ts"
import type { Reranker } from "./inference.ts"

/** A reranker of this name that is opened by its first use; what failed is tried again by the next. */
export function rerankerOnUse(model: string, open: () => Promise<Reranker>): Reranker {
  const opened = once(open)
  return {
    model,
    async score(query, passages, options) {
      options?.signal?.throwIfAborted()
      return (await opened()).score(query, passages, options)
    },
  }
}
