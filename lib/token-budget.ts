import { AppError } from "./errors.ts"

/** Tokens that were taken from a day before they are used. */
export interface TokenGrant {
  readonly tokens: number
  /** The day (UTC) that they were taken from: `2026-11-30`. */
  readonly day: string
}

/** What a day's tokens are for; each has a limit and a count of its own. */
export type TokenPurpose = "answers" | "inference"

/** The tokens that a tenant may take in a day for one purpose. */
export interface TokenBudget {
  /**
   * Takes as many as are left of today's, `wanted` at the most. Throws `rate_limited`, with the time until the next day,
   * where fewer than `least` are left.
   */
  reserve(tenant: string, least: number, wanted: number): Promise<TokenGrant>
  /** Adds to a day what was used beyond what was taken; below 0 it gives back what was not used. */
  charge(tenant: string, day: string, difference: number): Promise<void>
}

const USED_UP = {
  answers: "The language model's tokens of today are used up (ANSWER_TOKENS_PER_DAY).",
  inference: "The embedding model's tokens of today are used up (INFERENCE_TOKENS_PER_DAY).",
}

/** The error of a tenant whose tokens are used up for the next `seconds`. */
export function dayIsUsedUp(purpose: TokenPurpose, seconds: number): AppError {
  const message = `${USED_UP[purpose]} Ask again tomorrow (UTC), or have the limit raised.`
  return new AppError("rate_limited", message, { retryAfterS: Math.max(1, Math.ceil(seconds)) })
}

const DAY_MS = 86_400_000

/** For one process: it forgets with it. `now` is milliseconds since 1970. */
export function createMemoryTokenBudget(perDay: number, now: () => number = Date.now): TokenBudget {
  let today = ""
  const used = new Map<string, number>()
  return {
    async reserve(tenant, least, wanted) {
      const at = now()
      const day = new Date(at).toISOString().slice(0, 10)
      if (day !== today) used.clear()
      today = day
      const left = perDay - (used.get(tenant) ?? 0)
      if (left < least) throw dayIsUsedUp("answers", (DAY_MS - (at % DAY_MS)) / 1_000)
      const tokens = Math.min(wanted, left)
      used.set(tenant, perDay - left + tokens)
      return { tokens, day }
    },
    async charge(tenant, day, difference) {
      if (day === today) used.set(tenant, Math.max(0, (used.get(tenant) ?? 0) + difference))
    },
  }
}
