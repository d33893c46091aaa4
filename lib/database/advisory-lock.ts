import { setTimeout as sleep } from "node:timers/promises"
import type { OwnerSession } from "./database.ts"

/** Any number that no other program on the same database is likely to lock: "CONCORD" in ASCII. */
const LOCK_KEY = "18946020994929220"
const POLL_MS = 200

/**
 * Runs `work` while this session alone, of all that call this on the same database, may change its shape. It polls
 * instead of waiting inside `pg_advisory_lock`: a session that waits there holds a snapshot, and a concurrent index
 * build of the one that works would wait for it in turn.
 */
export async function underMigrationLock<T>(session: OwnerSession, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const [row] = await session.query<{ locked: boolean }>(`select pg_try_advisory_lock(${LOCK_KEY}) as locked`)
    if (row?.locked) break
    await sleep(POLL_MS)
  }
  try {
    return await work()
  } finally {
    // If the connection is lost the lock went with it, and the first error is the one to report.
    await session.query(`select pg_advisory_unlock(${LOCK_KEY})`).catch(() => undefined)
  }
}
