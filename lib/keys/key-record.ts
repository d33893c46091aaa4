import type { KeyScope } from "./api-key.ts"

/** A key as its owner sees it: everything but the key. Times are ISO 8601, null when they never came or never come. */
export interface KeyRecord {
  readonly id: string
  readonly name: string
  readonly tenants: readonly string[]
  readonly scopes: readonly KeyScope[]
  readonly ratePerMinute: number | null
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  /** When it was last let in, to about a minute. */
  readonly lastUsedAt: string | null
  /** Id of the key that it took over from. */
  readonly rotatedFrom: string | null
}

const TIMES = ["created_at", "expires_at", "revoked_at", "last_used_at"]

/** Columns of a record as every driver gives them: times as text in UTC. */
export const RECORD = `id, name, tenants, scopes, rate_per_minute as "ratePerMinute", rotated_from as "rotatedFrom",
  ${TIMES.map(isoColumn).join(",\n  ")}`

function isoColumn(column: string): string {
  const property = column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "${property}"`
}
