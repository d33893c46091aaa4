import { LRUCache } from "lru-cache"
import type { Database } from "../database/database.ts"
import { hashKey, KeyScope, looksLikeKey, type Principal } from "./api-key.ts"
import { createKeyUse } from "./key-use.ts"

/** Who a key belongs to, or null when it opens nothing. Throws `database_unavailable`. */
export type Authenticate = (key: string) => Promise<Principal | null>

/** How long a key that was let in is let in without asking again: a revocation bites within it. */
const ACCEPTED_MS = 30_000
/** How long a refusal is remembered: short, so that a key made a moment ago works. */
const REFUSED_MS = 5_000
/** Keys remembered. Refused ones have their own memory: a flood of bad keys pushes out no good one. */
const REMEMBERED_MAX = 10_000

/** Longest that the database may take over a key, ms: its requests wait for that, and only then does their own time begin. */
const TIMEOUT_MS = 5_000

interface KeyRow extends Record<string, unknown> {
  readonly id: string
  readonly tenants: readonly string[]
  readonly scopes: readonly string[]
  readonly rate_per_minute: number | null
  /** Milliseconds until it expires, as the database's clock tells; null when it never does. */
  readonly ms_left: number | null
}

const SELECT_KEY = `
  select id, tenants, scopes, rate_per_minute,
         (extract(epoch from expires_at - now()) * 1000)::float8 as ms_left
  from api_keys
  where key_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`

/**
 * Looks a key up by its hash in the one row that row-level security shows for that hash, and remembers the answer
 * for up to 30 s. Requests that come at once with the same key share one look-up.
 *
 * An unknown, an expired and a revoked key go the same way, the same statement and the same memory of refusals, and get the
 * same answer: how long it takes tells nothing of which it was.
 */
export function createAuthenticator(database: Database): Authenticate {
  const noteUse = createKeyUse(database)
  const accepted = new LRUCache<string, Principal>({ max: REMEMBERED_MAX })
  const refused = new LRUCache<string, true>({ max: REMEMBERED_MAX, ttl: REFUSED_MS })
  const underway = new Map<string, Promise<Principal | null>>()

  async function lookUp(keyHash: string): Promise<Principal | null> {
    const statement = { text: SELECT_KEY, values: [keyHash] }
    const [rows] = await database.batch({ apiKeyHash: keyHash }, [statement], { timeoutMs: TIMEOUT_MS })
    const row = rows?.[0] as KeyRow | undefined
    if (!row) {
      refused.set(keyHash, true)
      return null
    }
    const principal = toPrincipal(row)
    // A ttl of 0 would mean for ever.
    accepted.set(keyHash, principal, {
      ttl: Math.max(1, Math.min(ACCEPTED_MS, Math.floor(row.ms_left ?? ACCEPTED_MS))),
    })
    return principal
  }

  function shared(keyHash: string): Promise<Principal | null> {
    const started = underway.get(keyHash) ?? lookUp(keyHash).finally(() => underway.delete(keyHash))
    underway.set(keyHash, started)
    return started
  }

  return async (key) => {
    if (!looksLikeKey(key)) return null
    const keyHash = hashKey(key)
    const remembered = accepted.get(keyHash)
    if (!remembered && refused.has(keyHash)) return null
    const principal = remembered ?? (await shared(keyHash))
    if (principal) noteUse(keyHash)
    return principal
  }
}

function toPrincipal(row: KeyRow): Principal {
  return {
    id: row.id,
    tenants: row.tenants,
    // A scope of a newer version means nothing to this one.
    scopes: row.scopes.filter((scope): scope is KeyScope => KeyScope.safeParse(scope).success),
    ...(row.rate_per_minute !== null && { ratePerMinute: row.rate_per_minute }),
  }
}
