import { LRUCache } from "lru-cache"
import type { LimitStore, RateSubject } from "./limit-store.ts"

/** How a subject's minute stands after a request was counted, or refused. */
export interface RateStanding {
  readonly subject: RateSubject
  readonly isAllowed: boolean
  /** Requests that are left, as far as this process knows. */
  readonly left: number
  /** Until they are all there again, s; at least 1. */
  readonly resetS: number
}

/** Counts a request of the subject's. Throws what the store throws. */
export type CountRequest = (subject: RateSubject) => Promise<RateStanding>

/** What this process holds of one minute of one subject. */
interface Holding {
  /** By this process's clock, ms. */
  endsAt: number
  /** Taken from the store and not used yet. */
  held: number
  /** What the store had left after that. */
  free: number
  used: number
  waiting: number
  taking: Promise<void> | null
}

const SUBJECTS_MAX = 10_000

/**
 * Counts requests by shares that are taken from the store ahead, so that few requests wait for it: a share is as large as
 * what this process has let through in this minute, at most an eighth of what is left. 600 a minute cost one process 50
 * questions, one that is used up none.
 *
 * However many processes there are, a minute never lets more than its number through: a share ends, by a clock that began to
 * run before the store was asked, before its minute does. (Minutes begin with a first request and follow each other, so
 * any 60 s may see the end of one and the beginning of the next: twice the number at the most.) It may let fewer through: what
 * a process holds and doesn't use is lost to the others, which is never more than it has used itself, and one.
 */
export function createRateLimiter(store: LimitStore, now: () => number = () => performance.now()): CountRequest {
  const holdings = new LRUCache<string, Holding>({ max: SUBJECTS_MAX })

  function holdingOf({ kind, id }: RateSubject): Holding {
    const name = `${kind} ${id}`
    const known = holdings.get(name)
    if (known && (known.taking || now() < known.endsAt)) return known
    const fresh: Holding = { endsAt: 0, held: 0, free: Infinity, used: 0, waiting: 0, taking: null }
    holdings.set(name, fresh)
    return fresh
  }

  async function take(subject: RateSubject, holding: Holding): Promise<void> {
    const askedAt = now()
    const { granted, free, msLeft } = await store.takeRate(subject, Math.max(1, holding.waiting, holding.used))
    holding.endsAt = askedAt + msLeft
    holding.held += granted
    holding.free = granted === 0 ? 0 : free
  }

  function standing(subject: RateSubject, { held, free, endsAt }: Holding, isAllowed: boolean): RateStanding {
    const left = Math.max(0, Math.min(subject.perMinute, held + free))
    return { subject, isAllowed, left, resetS: Math.max(1, Math.ceil((endsAt - now()) / 1_000)) }
  }

  return async (subject) => {
    for (;;) {
      const holding = holdingOf(subject)
      if (holding.held > 0 && now() < holding.endsAt) {
        holding.held--
        holding.used++
        return standing(subject, holding, true)
      }
      if (holding.free === 0 && now() < holding.endsAt) return standing(subject, holding, false)
      holding.waiting++
      holding.taking ??= take(subject, holding).finally(() => {
        holding.taking = null
      })
      try {
        await holding.taking
      } finally {
        holding.waiting--
      }
    }
  }
}
