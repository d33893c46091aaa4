import type { OwnerSession, Row } from "../database/database.ts"
import { AppError, invalidField } from "../errors.ts"
import { hashKey, mintKey, newKeyId } from "./api-key.ts"
import { type KeyRecord, RECORD } from "./key-record.ts"

/** How a key hands over to its successor. */
export interface Rotation {
  /** How long the old key is still let in, ms; 0 refuses it from now on. At most a year. */
  readonly overlapMs: number
  /** When the new key ends. Absent: it lives as long as the old one was made to, or for ever as that. */
  readonly expiresAt?: Date
}

/** The new key, shown here once, its record, and that of the old one with its new end. */
export interface Rotated {
  readonly key: string
  readonly record: KeyRecord
  readonly replaced: KeyRecord
}

const OVERLAP_MS_MAX = 365 * 86_400_000

interface OldKey extends Row {
  readonly is_usable: boolean
  readonly successor: string | null
}

/**
 * Makes a key with the name, tenants, scopes and rate of another, and ends that one after the overlap: in one transaction,
 * so that there are never two successors, and never none. An end that comes earlier anyway stays. Null when there is no
 * such key. Throws `conflict` for one that is refused already or has a successor, `invalid_request` for a wrong overlap.
 */
export async function rotateKey(
  session: OwnerSession,
  id: string,
  { overlapMs, expiresAt }: Rotation,
): Promise<Rotated | null> {
  if (!(overlapMs >= 0 && overlapMs <= OVERLAP_MS_MAX)) throw invalidField("overlap", "must be 0 to 365 days")
  const key = mintKey()
  return session.transaction(async () => {
    // Two rotations at once: the second waits here, and its next statement sees the first one's key.
    await session.query("select 1 from api_keys where id = $1 for update", [id])
    const [old] = await session.query<OldKey>(
      `select revoked_at is null and (expires_at is null or expires_at > now()) as is_usable,
              (select s.id from api_keys s where s.rotated_from = k.id) as successor
         from api_keys k where k.id = $1`,
      [id],
    )
    if (!old) return null
    requireCurrent(old)
    const [record] = await session.query<KeyRecord & Row>(
      `insert into api_keys (id, key_hash, name, tenants, scopes, rate_per_minute, rotated_from, expires_at)
       select $1, $2, name, tenants, scopes, rate_per_minute, id,
              coalesce($4::timestamptz, now() + (expires_at - created_at))
         from api_keys where id = $3 returning ${RECORD}`,
      [newKeyId(), hashKey(key), id, expiresAt?.toISOString() ?? null],
    )
    // Postgres' least() passes over nulls.
    const [replaced] = await session.query<KeyRecord & Row>(
      `update api_keys set expires_at = least(expires_at, now() + $2::float8 * interval '1 ms')
        where id = $1 returning ${RECORD}`,
      [id, overlapMs],
    )
    return { key, record: record as KeyRecord, replaced: replaced as KeyRecord }
  })
}

function requireCurrent({ is_usable, successor }: OldKey): void {
  if (successor !== null) {
    throw new AppError("conflict", `The key has a successor already, ${successor}: rotate that one, or make a new key`)
  }
  if (!is_usable) throw new AppError("conflict", "The key is revoked or has expired: make a new one")
}
