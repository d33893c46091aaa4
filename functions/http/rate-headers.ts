import type { Context } from "hono"
import type { RateStanding } from "../../lib/limits/rate-limiter.ts"
import { type Rates, refusalOf } from "../../lib/limits/rates.ts"
import type { Edge } from "./edge.ts"

/** Counts the requests of a key and of the tenants that it concerns, and says in the headers how they stand. */
export interface RequestRates {
  /** Throws `rate_limited`. */
  countKey(id: string, own: number | undefined): Promise<void>
  /** Counts each tenant once, however often it is asked for. Throws `rate_limited`. */
  countTenant(tenant: string): Promise<void>
}

export function createRequestRates(c: Context<Edge>, rates: Rates): RequestRates {
  const standings: RateStanding[] = []
  const counted = new Set<string>()
  function note(standing: RateStanding | null): void {
    if (!standing) return
    standings.push(standing)
    setRateHeaders(c, standings)
    const refusal = refusalOf(standing)
    if (refusal) throw refusal
  }
  return {
    countKey: async (id, own) => note(await rates.ofKey(id, own)),
    async countTenant(tenant) {
      if (counted.has(tenant)) return
      counted.add(tenant)
      try {
        note(await rates.ofTenant(tenant))
      } catch (error) {
        counted.delete(tenant)
        throw error
      }
    },
  }
}

/**
 * `RateLimit-Policy` and `RateLimit`, as draft-ietf-httpapi-ratelimit-headers-12 (November 2026) has them: how many requests
 * (`q`) a window of 60 s takes, how many are left (`r`), and in how many seconds (`t`) they are all there again. Of several
 * tenants of a batch that whose minute is nearest its end.
 */
function setRateHeaders(c: Context<Edge>, standings: readonly RateStanding[]): void {
  const shown = (["key", "tenant"] as const).flatMap((kind) => {
    const [least] = standings.filter(({ subject }) => subject.kind === kind).sort((a, b) => a.left - b.left)
    return least ? [least] : []
  })
  const policies = shown.map(({ subject: { kind, perMinute } }) => `"${kind}";q=${perMinute};w=60`)
  const limits = shown.map(({ subject: { kind }, left, resetS }) => `"${kind}";r=${left};t=${resetS}`)
  c.header("RateLimit-Policy", policies.join(", "))
  c.header("RateLimit", limits.join(", "))
}
