import { deadlineIn } from "../../deadline.ts"
import type { Log } from "../../log.ts"
import type { Ingest } from "./create-ingest.ts"

/** Between two sweeps of a tenant by one process, ms. */
const EVERY_MS = 5 * 60_000
/** Documents of one sweep. */
const DOCUMENTS_MAX = 50
/** Longest sweep, ms: the message that it rides on waits for its end. */
const SWEEP_MS = 20_000

interface SweepParts {
  readonly ingest: Pick<Ingest, "leftovers" | "cleanUp">
  readonly log: Log
  /** Of a clock, ms. */
  readonly now?: () => number
}

/**
 * Removes some of a tenant's leftovers, for a process that lives for a message alone: what a delete had no time for, uploads
 * that never came, drafts of dead workers. Does nothing if this process has swept the tenant in the last five minutes, and
 * stops when `signal` aborts; what it leaves is there for the next. Never throws.
 */
export function createSweepLeftovers({ ingest, log, now = () => performance.now() }: SweepParts) {
  const sweptAt = new Map<string, number>()
  return async (tenant: string, signal: AbortSignal): Promise<void> => {
    const last = sweptAt.get(tenant)
    if (signal.aborted || (last !== undefined && now() - last < EVERY_MS)) return
    sweptAt.set(tenant, now())
    const deadline = deadlineIn(SWEEP_MS, signal)
    try {
      for (const id of await ingest.leftovers(tenant, DOCUMENTS_MAX)) {
        if (deadline.signal.aborted) return
        await ingest.cleanUp(tenant, id, deadline.signal)
      }
    } catch (error) {
      log.warn("what earlier uploads left could not be looked through", { error })
    }
  }
}
