import { LRUCache } from "lru-cache"
import type { Principal } from "../../lib/keys/api-key.ts"

/** Seconds the caller has to wait; 0 lets the request through and counts it. */
export type RateLimiter = (principal: Principal) => number

interface Bucket {
  readonly tokens: number
  readonly at: number
}

/**
 * A token bucket a key: a minute's worth at once, refilled evenly. It counts in this process: n processes let n times
 * as many through. `now` is in milliseconds.
 */
export function createRateLimiter(now: () => number = () => performance.now()): RateLimiter {
  const buckets = new LRUCache<string, Bucket>({ max: 10_000 })
  return ({ id, ratePerMinute }) => {
    if (ratePerMinute === undefined) return 0
    const at = now()
    const before = buckets.get(id) ?? { tokens: ratePerMinute, at }
    const tokens = Math.min(ratePerMinute, before.tokens + ((at - before.at) * ratePerMinute) / 60_000)
    buckets.set(id, { tokens: tokens >= 1 ? tokens - 1 : tokens, at })
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 60) / ratePerMinute)
  }
}
