import type { Deadline } from "../deadline.ts"
import { tooManyAtOnce } from "../overload.ts"

/** Runs a tenant's work when it has a place free. Throws `too_many_at_once`, or what aborted the deadline. */
export type InPlace = <T>(tenant: string, deadline: Deadline, work: () => Promise<T>) => Promise<T>

interface PlaceOptions {
  /** Work of one tenant at once, and as many again that wait. */
  readonly max: number
  /** Longest wait, ms; 1,000 when absent: a search takes 10 to 100. */
  readonly waitMs?: number
}

interface Tenant {
  running: number
  readonly waiting: Set<() => void>
}

/** Of one process: bounds how many of a tenant's searches it works on at once, so that one tenant doesn't take all of it. */
export function createTenantPlaces({ max, waitMs = 1_000 }: PlaceOptions): InPlace {
  const tenants = new Map<string, Tenant>()

  /** Resolves with a place, which is the caller's until it is given on. */
  function wait(tenant: Tenant, { signal, left }: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        clearTimeout(timer)
        signal.removeEventListener("abort", gone)
        tenant.waiting.delete(start)
        settle()
      }
      const start = end(resolve)
      const late = end(() => reject(tooManyAtOnce(max)))
      const gone = end(() => reject(signal.reason))
      const timer = setTimeout(late, Math.min(waitMs, left()))
      signal.addEventListener("abort", gone, { once: true })
      tenant.waiting.add(start)
    })
  }

  return async (name, deadline, work) => {
    deadline.signal.throwIfAborted()
    const tenant = tenants.get(name) ?? { running: 0, waiting: new Set() }
    tenants.set(name, tenant)
    if (tenant.running >= max) {
      if (tenant.waiting.size >= max) throw tooManyAtOnce(max)
      await wait(tenant, deadline)
    } else tenant.running++
    try {
      return await work()
    } finally {
      // The place goes to the next in line, so that nobody slips in between.
      const [next] = tenant.waiting
      if (next) next()
      else if (--tenant.running === 0) tenants.delete(name)
    }
  }
}
