import { AppError } from "../errors.ts"
import type { TokenBudget, TokenGrant } from "../token-budget.ts"

/** Why a call must not be made. */
export interface TokenLimit {
  readonly problem: string
  /** Of the day's limit: `rate_limited`, with the time until the next day. */
  readonly error: AppError | null
}

/** The tokens of one request. */
export interface TokenPurse {
  /**
   * Sets tokens aside for a call that takes `most` at the most. Null, or the limit that is reached: the call must not be
   * made. Waits for calls under way where those may give enough back.
   */
  take(most: number): Promise<TokenLimit | null>
  /** A call for which `most` was taken has ended. */
  settle(most: number, used: number): void
  /** Gives the day back what wasn't used. */
  close(): Promise<void>
}

interface PurseOptions {
  readonly budget: TokenBudget
  readonly tenant: string
  /** Of the request. */
  readonly tokensMax: number
}

/** Taken from the day at once: one statement for most answers. What a killed process had taken stays taken. */
const BLOCK_TOKENS = 10_000

/** Opens the purse of a request with its first tokens. Throws `rate_limited` where the day has none left. */
export async function openTokenPurse({ budget, tenant, tokensMax }: PurseOptions): Promise<TokenPurse> {
  const grants: TokenGrant[] = [await budget.reserve(tenant, 1, Math.min(BLOCK_TOKENS, tokensMax))]
  const granted = (): number => grants.reduce((sum, { tokens }) => sum + tokens, 0)
  let used = 0
  let underway = 0
  const waiting: (() => void)[] = []
  // One after the other: two that take from the day at once would both take for both.
  let taking: Promise<unknown> = Promise.resolve()

  async function takeNow(most: number): Promise<TokenLimit | null> {
    while (used + underway + most > tokensMax && underway > 0) {
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    if (used + underway + most > tokensMax) {
      return { problem: `the limit of ${tokensMax} tokens was reached (ANSWER_TOKENS_MAX)`, error: null }
    }
    const lacking = used + underway + most - granted()
    if (lacking > 0) {
      const wanted = Math.max(lacking, Math.min(BLOCK_TOKENS, tokensMax - granted()))
      try {
        grants.push(await budget.reserve(tenant, lacking, wanted))
      } catch (error) {
        if (error instanceof AppError && error.code === "rate_limited") {
          return { problem: "the day's tokens are used up (ANSWER_TOKENS_PER_DAY)", error }
        }
        throw error
      }
    }
    underway += most
    return null
  }

  return {
    take(most) {
      const taken = taking.then(() => takeNow(most))
      taking = taken.catch(() => {})
      return taken
    },
    settle(most, took) {
      underway -= most
      used += took
      for (const wake of waiting.splice(0)) wake()
    },
    async close() {
      let left = used
      for (const [index, { day, tokens }] of grants.entries()) {
        const isLast = index === grants.length - 1
        const ofThis = isLast ? left : Math.min(left, tokens)
        left -= ofThis
        if (ofThis !== tokens) await budget.charge(tenant, day, ofThis - tokens)
      }
    },
  }
}
