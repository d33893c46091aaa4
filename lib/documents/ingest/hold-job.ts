import { LEASE_MS } from "./jobs.ts"

/** What `holdJob` hands to its work. */
export interface Held {
  /** Aborts with the caller's signal, or when the job is lost. */
  readonly signal: AbortSignal
  /** The job is no longer ours. */
  readonly onLost: () => void
  readonly isLost: () => boolean
}

/** Runs `work` with signs of life to the job's lease; `renew` is false when somebody else has the job. */
export async function holdJob<T>(
  renew: () => Promise<boolean>,
  signal: AbortSignal | undefined,
  work: (held: Held) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  const onLost = () => lost.abort()
  const heartbeat = setInterval(() => {
    // One that can't reach the database keeps working: its lease, or the next commit, decides.
    renew().then(
      (held) => held || onLost(),
      () => undefined,
    )
  }, LEASE_MS / 3)
  try {
    const either = signal ? AbortSignal.any([signal, lost.signal]) : lost.signal
    return await work({ signal: either, onLost, isLost: () => lost.signal.aborted })
  } finally {
    clearInterval(heartbeat)
  }
}
