import type { Context, MiddlewareHandler } from "hono"
import { stage } from "../../lib/activity.ts"
import { AppError } from "../../lib/errors.ts"
import { EVERY_TENANT, KeyScope, type Principal } from "../../lib/keys/api-key.ts"
import type { Authenticate } from "../../lib/keys/authenticator.ts"
import { lacksScope } from "../../lib/keys/lacks-scope.ts"
import type { Rates } from "../../lib/limits/rates.ts"
import { isLoopbackAddress, isLoopbackHost } from "../../lib/loopback.ts"
import { clientAddress } from "./client-address.ts"
import type { Edge } from "./edge.ts"
import { type EndWithKey, endWithKey, KEY_LOOK_MS } from "./end-with-key.ts"
import { createRequestRates } from "./rate-headers.ts"
import type { WrongKeys } from "./wrong-keys.ts"

/**
 * Who needs no key. `keys`: nobody. `loopback`: programs on this machine (the embedded database's mode). `open`:
 * anybody (CONCORDANCE_SERVE_WITHOUT_KEYS).
 */
export type AccessPolicy = "keys" | "loopback" | "open"

/** What the guard of every route stands on. */
export interface GuardOptions {
  readonly policy: AccessPolicy
  readonly authenticate: Authenticate
  /** Address at the other end of the connection. */
  readonly peerAddress: (c: Context<Edge>) => string | undefined
  /** Proxies whose X-Forwarded-For is believed (TRUSTED_PROXIES). */
  readonly trustedProxies: number
  readonly wrongKeys: WrongKeys
  /** Requests a minute, of keys and for tenants. */
  readonly rates: Rates
  /** How often a stream that stays open looks after its key, ms. */
  readonly keyLookMs?: number
}

/** Makes the middleware that lets a request through to a route only with the route's scope. */
export type Guard = (scope: KeyScope) => MiddlewareHandler<Edge>

const WITHOUT_KEY: Principal = { id: "none", tenants: [EVERY_TENANT], scopes: KeyScope.options }

/** The guard of every route: who calls, may they do this, and not too often. */
export function createGuard(options: GuardOptions): Guard {
  return (scope) => async (c, next) => {
    const key = presentedKey(c)
    const principal = key === undefined ? withoutKey(c, options) : await stage("auth", () => options.authenticate(key))
    if (!principal) throw refusal(c, options)
    if (!principal.scopes.includes(scope)) {
      c.header("WWW-Authenticate", `Bearer realm="concordance", error="insufficient_scope", scope="${scope}"`)
      throw lacksScope(scope)
    }
    c.set("principal", principal)
    const rates = createRequestRates(c, options.rates)
    c.set("rates", rates)
    c.set("endWithKey", streamEnd(key, options))
    if (key !== undefined) await rates.countKey(principal.id, principal.ratePerMinute)
    await next()
  }
}

/** Without a key a stream ends when its client leaves. */
function streamEnd(key: string | undefined, { authenticate, keyLookMs = KEY_LOOK_MS }: GuardOptions): EndWithKey {
  if (key === undefined) return (body) => body
  return (body) => endWithKey(body, { isKeyGood: async () => (await authenticate(key)) !== null, lookMs: keyLookMs })
}

/** A wrong key's answer, the same whether it is unknown, expired or revoked. */
function refusal(c: Context<Edge>, options: GuardOptions): AppError {
  const retryAfterS = options.wrongKeys.count(clientAddress(c, options))
  if (retryAfterS > 0) {
    const message = "Too many wrong API keys came from this address: wait as Retry-After says, and check the key"
    return new AppError("rate_limited", message, { retryAfterS })
  }
  c.header("WWW-Authenticate", 'Bearer realm="concordance", error="invalid_token"')
  return new AppError("unauthorized", "The API key is unknown, expired or revoked")
}

function presentedKey(c: Context<Edge>): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1]
  return bearer ?? c.req.header("x-api-key")?.trim()
}

function withoutKey(c: Context<Edge>, { policy, peerAddress }: GuardOptions): Principal {
  if (policy === "keys" || (policy === "loopback" && !isLocal(c, peerAddress))) {
    throw new AppError("unauthorized", "Send an API key as Authorization: Bearer <key> or x-api-key: <key>")
  }
  // Without a key nothing but the origin tells a program from a page that the person's browser is showing.
  const origin = c.req.header("origin")
  if (origin !== undefined && hostOf(origin) !== c.req.header("host")?.toLowerCase()) {
    throw new AppError("forbidden", "A page of another site may not call this service without an API key")
  }
  return WITHOUT_KEY
}

/**
 * From this machine, and meaning it: a name that an attacker's DNS points at 127.0.0.1 is in the Host header, and a
 * proxy on this machine, which speaks for others, says so.
 */
function isLocal(c: Context<Edge>, peerAddress: GuardOptions["peerAddress"]): boolean {
  const forwarded = c.req.header("forwarded") ?? c.req.header("x-forwarded-for")
  return forwarded === undefined && isLoopbackAddress(peerAddress(c)) && isLoopbackHost(c.req.header("host"))
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}
