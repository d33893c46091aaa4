import { createHash } from "node:crypto"
import type { Database, Scope } from "../database/database.ts"
import type { LimitStore, RateSubject } from "./limit-store.ts"

const TAKE = {
  key: "select granted, free, ms_left from take_key_rate($1::int, $2::int)",
  tenant: "select granted, free, ms_left from take_tenant_rate($1::int, $2::int)",
}

/** Longest that the database may take over a share, ms: every request of the subject waits for it. */
const TIMEOUT_MS = 5_000

/** The state of limits for all processes of a database, by its clock. */
export function createPostgresLimits(database: Database): LimitStore {
  return {
    async takeRate(subject, wanted) {
      const statement = { text: TAKE[subject.kind], values: [wanted, subject.perMinute] }
      const [rows = []] = await database.batch(scopeOf(subject), [statement], { timeoutMs: TIMEOUT_MS })
      const { granted, free, ms_left: msLeft } = rows[0] as { granted: number; free: number; ms_left: number }
      return { granted, free, msLeft }
    },
  }
}

/** A key's count stands under the hash of its id: a scope in which no key, and no tenant's row, is visible. */
function scopeOf({ kind, id }: RateSubject): Scope {
  return kind === "tenant" ? { tenant: id } : { apiKeyHash: createHash("sha256").update(`rate of ${id}`).digest("hex") }
}
