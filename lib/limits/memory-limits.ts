import { LRUCache } from "lru-cache"
import type { LimitStore } from "./limit-store.ts"

/** Subjects remembered; the one that rested longest begins anew. */
const SUBJECTS_MAX = 10_000
const MINUTE_MS = 60_000

interface Minute {
  readonly began: number
  taken: number
}

/** The state of limits for one process: exact, and forgotten with it. `now` is milliseconds of a clock that never jumps. */
export function createMemoryLimits(now: () => number = () => performance.now()): LimitStore {
  const minutes = new LRUCache<string, Minute>({ max: SUBJECTS_MAX })
  return {
    async takeRate({ kind, id, perMinute }, wanted) {
      const at = now()
      const name = `${kind} ${id}`
      const known = minutes.get(name)
      const minute = known && at < known.began + MINUTE_MS ? known : { began: at, taken: 0 }
      minutes.set(name, minute)
      const granted = Math.max(0, Math.min(wanted, perMinute - minute.taken))
      minute.taken += granted
      return { granted, free: Math.max(0, perMinute - minute.taken), msLeft: minute.began + MINUTE_MS - at }
    },
  }
}
