import type { CountUsage } from "../count-usage.ts"
import type { TokenBudget } from "../token-budget.ts"
import type { Embedder } from "./inference.ts"

/** Where what a model reads for a tenant is counted, and what it may read in a day. */
export interface EmbeddingMeter {
  readonly count?: CountUsage | undefined
  /** Absent: any number of tokens. */
  readonly budget?: TokenBudget | undefined
}

/** Characters of a token, roughly; what was taken too many or too few of is settled afterwards. */
const CHARS_PER_TOKEN = 4

/**
 * The same embedder for one tenant: what it reads is counted, and taken from the tenant's day before. The call that meets the
 * end of the day is still answered; the next throws `rate_limited`.
 */
export function meterEmbedder(embedder: Embedder, tenant: string, { count, budget }: EmbeddingMeter): Embedder {
  return {
    ...embedder,
    countTokens: (text) => embedder.countTokens(text),
    async embed(texts, kind, options) {
      const chars = texts.reduce((sum, text) => sum + text.length, 0)
      const grant = await budget?.reserve(tenant, 1, Math.max(1, Math.ceil(chars / CHARS_PER_TOKEN)))
      let tokens = 0
      try {
        const embedded = await embedder.embed(texts, kind, options)
        tokens = embedded.tokens
        return embedded
      } finally {
        // The vectors are no worse for it: the tokens stay taken until the day is over.
        if (grant) await budget?.charge(tenant, grant.day, tokens - grant.tokens).catch(() => {})
        if (tokens > 0) await count?.(tenant, { embeddedTokens: tokens })
      }
    },
  }
}

/** The same embedder for work that nobody waits for: it waits its turn, however many wait already. */
export function patientEmbedder(embedder: Embedder): Embedder {
  return {
    ...embedder,
    countTokens: (text) => embedder.countTokens(text),
    embed: (texts, kind, options) => embedder.embed(texts, kind, { ...options, isPatient: true }),
  }
}
