/** Whose requests are counted, and how many a minute may have. */
export interface RateSubject {
  readonly kind: "key" | "tenant"
  /** Id of the key, or name of the tenant. */
  readonly id: string
  readonly perMinute: number
}

/** A share of a subject's minute. */
export interface RateShare {
  /** Requests that whoever asked may let through until the minute ends; 0: it is used up. */
  readonly granted: number
  /** Requests that are left to be taken, by anybody. */
  readonly free: number
  /** Until the minute ends, ms, counted from no earlier than the question. */
  readonly msLeft: number
}

/** Where the state of limits is kept: of one process in its memory, of several in their database. */
export interface LimitStore {
  /** Takes up to `wanted` requests of the subject's minute. Throws `database_unavailable`. */
  takeRate(subject: RateSubject, wanted: number): Promise<RateShare>
}
