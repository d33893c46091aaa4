/** When the answer must be there. `now` and `at` are milliseconds of `performance.now()`. */
export interface Deadline {
  /** Milliseconds left; never below 0. */
  left(): number
  /** Aborts at the deadline, or when the caller goes away. */
  readonly signal: AbortSignal
}

/** A deadline `ms` from now that the caller's own signal can bring forward. */
export function deadlineIn(ms: number, caller?: AbortSignal): Deadline {
  const at = performance.now() + ms
  const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(ms)))
  return {
    left: () => Math.max(0, at - performance.now()),
    signal: caller ? AbortSignal.any([timeout, caller]) : timeout,
  }
}
