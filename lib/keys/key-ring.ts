import type { OwnerDatabase, OwnerSession } from "../database/database.ts"
import { invalidField } from "../errors.ts"
import { invalidInput, wording } from "../field-problems.ts"
import { EVERY_TENANT, hashKey, looksLikeKey, mintKey, NewKey, newKeyId } from "./api-key.ts"
import { type KeyRecord, RECORD } from "./key-record.ts"
import { type Rotated, type Rotation, rotateKey } from "./rotate-key.ts"

export interface KeyPage {
  readonly keys: readonly KeyRecord[]
  /** Cursor of the page after; absent on the last one. */
  readonly nextCursor?: string
}

/** The keys of one installation, for its owner alone. */
export interface KeyRing {
  /** Makes a key. `key` is shown here once and held nowhere. Throws `invalid_request`. */
  create(wanted: NewKey): Promise<{ readonly key: string; readonly record: KeyRecord }>
  /**
   * Lets in a key that was made elsewhere, for every tenant and scope, unless it was stored before: a deploy repeats it, and
   * brings back none that was revoked. False when it was there. Throws `invalid_request` for what `mintKey` can't have made.
   */
  seed(key: string, name: string): Promise<boolean>
  /** In order of id, revoked ones included; `limit` at most 1,000. */
  list(page?: { readonly limit?: number; readonly cursor?: string }): Promise<KeyPage>
  /** Refuses the key from now on (within the authenticator's 30 s of cache). False when there is no such key. */
  revoke(id: string): Promise<boolean>
  /**
   * Makes a key like another, which ends after the overlap. Null when there is no such key. Throws `conflict` for one that is
   * refused already or has a successor, `invalid_request`.
   */
  rotate(id: string, rotation: Rotation): Promise<Rotated | null>
  /** Whether any key would be let in now. */
  hasUsable(): Promise<boolean>
  /** Every tenant that a key which would be let in now names by itself, once each. */
  namedTenants(): Promise<readonly string[]>
}

/** The key ring over the owner's way into the database. */
export function createKeyRing(owner: OwnerDatabase): KeyRing {
  const rows = <R extends object>(text: string, values: Parameters<OwnerSession["query"]>[1] = []) =>
    owner.session((session) => session.query<R & Record<string, unknown>>(text, values))
  const store = async (key: string, wanted: NewKey): Promise<KeyRecord | undefined> => {
    const { name, tenants, scopes, expiresAt, ratePerMinute } = accepted(wanted)
    const [record] = await rows<KeyRecord>(
      `insert into api_keys (id, key_hash, name, tenants, scopes, expires_at, rate_per_minute)
       values ($1, $2, $3, $4::text[], $5::text[], $6::timestamptz, $7::int)
       on conflict (key_hash) do nothing returning ${RECORD}`,
      [newKeyId(), hashKey(key), name, tenants, scopes, expiresAt?.toISOString() ?? null, ratePerMinute ?? null],
    )
    return record
  }
  return {
    create: async (wanted) => {
      const key = mintKey()
      const record = await store(key, wanted)
      return { key, record: record as KeyRecord }
    },
    seed: async (key, name) => {
      if (!looksLikeKey(key)) {
        throw invalidField("ApiKey", "must be cc_ and 43 letters, digits, - or _: make one with `keys mint`")
      }
      return (await store(key, { name })) !== undefined
    },
    list: async ({ limit = 100, cursor = "" } = {}) => {
      const size = Math.min(Math.max(1, limit), 1_000)
      const found = await rows<KeyRecord>(
        `select ${RECORD} from api_keys where id > $1 collate "C" order by id collate "C" limit $2::int`,
        [cursor, size + 1],
      )
      const keys = found.slice(0, size)
      const last = keys.at(-1)
      return { keys, ...(found.length > size && last && { nextCursor: last.id }) }
    },
    revoke: async (id) => {
      const revoked = await rows(
        "update api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1 returning id",
        [id],
      )
      return revoked.length > 0
    },
    rotate: (id, rotation) => owner.session((session) => rotateKey(session, id, rotation)),
    hasUsable: async () => {
      const usable = await rows(
        "select 1 from api_keys where revoked_at is null and (expires_at is null or expires_at > now()) limit 1",
      )
      return usable.length > 0
    },
    namedTenants: async () => {
      const named = await rows<{ tenant: string }>(
        `select distinct unnest(tenants) as tenant from api_keys
          where revoked_at is null and (expires_at is null or expires_at > now()) order by tenant`,
      )
      return named.map(({ tenant }) => tenant).filter((tenant) => tenant !== EVERY_TENANT)
    },
  }
}

function accepted(wanted: NewKey) {
  const parsed = NewKey.safeParse(wanted, { error: wording })
  if (parsed.success) return parsed.data
  throw invalidInput(parsed.error.issues, "key")
}
