import { LRUCache } from "lru-cache"
import type { Database } from "../database/database.ts"

/** Notes that a key was let in, by the hash of it. Returns at once and never throws. */
export type NoteUse = (keyHash: string) => void

/** How exact `keys list` is, ms: one write a key, a process and a minute. */
const NOTED_EVERY_MS = 60_000
/** Keys remembered, as many as the authenticator does. */
const REMEMBERED_MAX = 10_000

const NOTE_USE = `
  update api_keys set last_used_at = now()
   where key_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())
     and (last_used_at is null or last_used_at < now() - interval '50 seconds')`

/**
 * Writes when a key was last let in, beside the request that it came with: nobody waits for it, and a write that fails is
 * tried again by the first request after a minute. Where another process has just written, the row stays as it is (50 s: a minute less
 * what two clocks and a slow write may differ by). `now` is in milliseconds.
 */
export function createKeyUse(database: Database, now: () => number = () => performance.now()): NoteUse {
  const notedAt = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  return (keyHash) => {
    const at = now()
    const before = notedAt.get(keyHash)
    if (before !== undefined && at - before < NOTED_EVERY_MS) return
    notedAt.set(keyHash, at)
    // A database that is gone is told by the request itself; that of a server that stops may close under this.
    database.batch({ apiKeyHash: keyHash }, [{ text: NOTE_USE, values: [keyHash] }]).catch(() => undefined)
  }
}
