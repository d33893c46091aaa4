import { AppError } from "../errors.ts"
import type { LimitStore, RateSubject } from "./limit-store.ts"
import { createRateLimiter, type RateStanding } from "./rate-limiter.ts"

/** What the operator decides; see docs/configuration.md. */
export interface RateSettings {
  /** Of keys that have no rate of their own; undefined: unlimited. */
  readonly ratePerKey?: number | undefined
  readonly ratePerTenant?: number | undefined
}

/** Requests a minute, of keys and for tenants. Null: there is no limit. */
export interface Rates {
  /** Counts a request with a key, whose own rate is `own`. */
  ofKey(id: string, own: number | undefined): Promise<RateStanding | null>
  /** Counts a request that concerns a tenant. */
  ofTenant(tenant: string): Promise<RateStanding | null>
}

/** Rates over a store. What they count is let through or not by whoever asks: see `refusalOf`. */
export function createRates(store: LimitStore, { ratePerKey, ratePerTenant }: RateSettings = {}): Rates {
  const count = createRateLimiter(store)
  const of = async (kind: RateSubject["kind"], id: string, perMinute: number | undefined) =>
    perMinute === undefined ? null : count({ kind, id, perMinute })
  return {
    ofKey: (id, own) => of("key", id, own ?? ratePerKey),
    ofTenant: (tenant) => of("tenant", tenant, ratePerTenant),
  }
}

/** The error of a minute that is used up; null where the request may go on. */
export function refusalOf({ subject, isAllowed, resetS }: RateStanding): AppError | null {
  if (isAllowed) return null
  const { kind, perMinute } = subject
  const whose = kind === "key" ? "The API key's" : "The tenant's"
  const setting = kind === "key" ? "" : " (RATE_PER_TENANT)"
  const message = `${whose} ${perMinute} requests a minute are used up${setting}. Ask again in ${resetS} s, or have the limit raised.`
  return new AppError("rate_limited", message, { retryAfterS: resetS })
}

/** Counts a call that concerns a tenant. Throws `rate_limited`. */
export function admitTenants({ ofTenant }: Rates): (tenant: string) => Promise<void> {
  return async (tenant) => {
    const standing = await ofTenant(tenant)
    const refusal = standing && refusalOf(standing)
    if (refusal) throw refusal
  }
}
