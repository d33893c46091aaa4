import { overloaded } from "../overload.ts"
import type { Database } from "./database.ts"

/**
 * The same database for work that is better refused than kept waiting: at most `unitsMax` units of work at once, those among
 * them that wait for a connection or, embedded, for the one before. One more fails at once, before anything of it began.
 * What must not be lost half-way (uploads being read, counts) belongs on the database itself.
 *
 * @throws AppError `overloaded`, and what the database throws
 */
export function createBoundedDatabase(database: Database, unitsMax: number): Database {
  let units = 0
  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    if (units >= unitsMax) throw overloaded("The database", "DATABASE_QUEUE_MAX")
    units++
    try {
      return await work()
    } finally {
      units--
    }
  }
  return {
    driver: database.driver,
    batch: (scope, statements, options) => bounded(() => database.batch(scope, statements, options)),
    transaction: (scope, work, options) => bounded(() => database.transaction(scope, work, options)),
    ping: () => database.ping(),
    close: () => database.close(),
  }
}
