import type { Database, UnitOptions } from "./database.ts"

/**
 * The same database for whoever waits for an answer: a unit of work that names no time of its own has `timeoutMs`, so that a
 * server that says nothing any more costs a caller that long, and no connection stays with it.
 */
export function createTimedDatabase(database: Database, timeoutMs: number): Database {
  const timed = (options?: UnitOptions): UnitOptions => ({ timeoutMs, ...options })
  return {
    driver: database.driver,
    batch: (scope, statements, options) => database.batch(scope, statements, timed(options)),
    transaction: (scope, work, options) => database.transaction(scope, work, timed(options)),
    ping: () => database.ping(),
    close: () => database.close(),
  }
}
