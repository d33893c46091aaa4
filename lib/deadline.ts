/** When the answer must be there. `now` and `at` are milliseconds of `performance.now()`. */
export interface Deadline {
  /** Milliseconds left; never below 0. */
  left(): number
  /** Aborts at the deadline, or when the caller goes away. */
  readonly signal: AbortSignal
}

/**
 * A deadline `ms` from now that the caller's own signal can bring forward. A timer of its own keeps it: Node holds what
 * `AbortSignal.timeout` and `AbortSignal.any` make so loosely that a garbage collection can take it before it fires.
 */
export function deadlineIn(ms: number, caller?: AbortSignal): Deadline {
  const at = performance.now() + ms
  const stop = new AbortController()
  const late = () => stop.abort(timeout())
  setTimeout(late, Math.max(0, Math.ceil(ms))).unref()
  const gone = () => stop.abort(caller?.reason)
  if (caller?.aborted) gone()
  else caller?.addEventListener("abort", gone, { once: true })
  return { left: () => Math.max(0, at - performance.now()), signal: stop.signal }
}

/**
 * Runs work under a deadline of its own, of which nothing is left when it ends: for whoever calls thousands of times under one
 * signal. The work must heed the signal that it is handed.
 */
export async function withDeadline<T>(
  ms: number,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const late = setTimeout(() => stop.abort(timeout()), ms)
  const gone = () => stop.abort(caller.reason)
  if (caller.aborted) gone()
  else caller.addEventListener("abort", gone, { once: true })
  try {
    return await work(stop.signal)
  } finally {
    clearTimeout(late)
    caller.removeEventListener("abort", gone)
  }
}

/** What `work` resolves to, or the signal's reason as soon as it aborts; work that heeds no signal goes on unheard. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  // Unheard, its failure must not count as unhandled.
  work.catch(() => undefined)
  signal.throwIfAborted()
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener("abort", stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

/** What `work` resolves to, or what `late` makes as soon as `ms` are over; work goes on unheard. */
export async function withinMs<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.min(Math.ceil(ms), TIMER_MS_MAX))
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
}

/** A longer timer of Node's fires at once, ms. */
export const TIMER_MS_MAX = 2 ** 31 - 1

const timeout = () => new DOMException("The time allowed ran out", "TimeoutError")
