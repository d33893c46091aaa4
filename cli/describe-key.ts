import type { KeyRecord } from "../lib/keys/key-record.ts"

/** A key that ends within so many days is worth a word. */
const WARN_DAYS = 14
const DAY_MS = 86_400_000

/** Two lines of a key for a person. `nowMs` is the time, ms since 1970; `successor` the key that took over from it. */
export function describeKey(record: KeyRecord, { nowMs, successor }: { nowMs: number; successor?: string }): string {
  const facts = [
    `tenants ${record.tenants.join(", ")}`,
    `scopes ${record.scopes.join(", ")}`,
    ...(record.ratePerMinute === null ? [] : [`${record.ratePerMinute} a minute`]),
    record.lastUsedAt === null ? "never used" : `last used ${record.lastUsedAt}`,
    ...(record.rotatedFrom === null ? [] : [`replaces ${record.rotatedFrom}`]),
    ...(successor === undefined ? [] : [`replaced by ${successor}`]),
    ...ends(record, nowMs),
  ]
  return `${record.id}  ${record.name}\n    ${facts.join("; ")}`
}

function ends({ expiresAt, revokedAt }: KeyRecord, nowMs: number): string[] {
  if (revokedAt !== null) return [`revoked ${revokedAt}`]
  if (expiresAt === null) return []
  return [Date.parse(expiresAt) <= nowMs ? `expired ${expiresAt}` : `expires ${expiresAt}`]
}

/** What to look to: keys that are let in now, and soon won't be, though no other key took over from them. */
export function expiryWarnings(records: readonly KeyRecord[], nowMs: number): string[] {
  const replaced = new Set(records.map(({ rotatedFrom }) => rotatedFrom))
  return records.flatMap(({ id, name, expiresAt, revokedAt }) => {
    if (expiresAt === null || revokedAt !== null || replaced.has(id)) return []
    const leftMs = Date.parse(expiresAt) - nowMs
    if (leftMs <= 0 || leftMs > WARN_DAYS * DAY_MS) return []
    const days = Math.floor(leftMs / DAY_MS)
    const left = days === 0 ? "within a day" : `in ${days} ${days === 1 ? "day" : "days"}`
    return [`Warning: ${id} (${name}) expires ${left}: concordance keys rotate ${id}`]
  })
}
