import { AppError } from "./errors.ts"

/** When it is worth asking again, s: queues here hold work of one or two. */
const RETRY_AFTER_S = 2

/** The error of a queue that is full: its work is not begun. `setting` says how long the queue may be. */
export function overloaded(what: string, setting: string): AppError {
  const message = `${what} has more to do than it can (${setting}). Nothing was begun: ask again in a moment.`
  return new AppError("overloaded", message, { retryAfterS: RETRY_AFTER_S })
}

/** The error of a tenant with `max` searches under way. */
export function tooManyAtOnce(max: number): AppError {
  const message = `The tenant has ${max} searches and answers under way, as many as it may have at once (SEARCHES_PER_TENANT_MAX). Ask again when one has ended.`
  return new AppError("too_many_at_once", message, { retryAfterS: 1 })
}
