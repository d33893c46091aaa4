import type { Config } from "../config.ts"
import { createBoundedDatabase } from "../database/bounded-database.ts"
import type { Database } from "../database/database.ts"
import { createTimedDatabase } from "../database/timed-database.ts"
import type { EmbeddingMeter } from "../inference/meter-embedder.ts"
import { createMemoryLimits } from "../limits/memory-limits.ts"
import { createPostgresLimits } from "../limits/postgres-limits.ts"
import { openInferenceBudget } from "../limits/postgres-token-budget.ts"
import { createRates, type Rates } from "../limits/rates.ts"
import { createTenantPlaces } from "../limits/tenant-places.ts"
import type { Log } from "../log.ts"
import { createUsageMeter, type UsageMeter } from "../usage/usage-meter.ts"
import type { Served } from "./served-calls.ts"

/** What bounds and counts the requests of one process. */
export interface OpenedLimits {
  /** For requests: they are shed where there are too many of them. Uploads being read, and counts, wait on the database itself. */
  readonly database: Database
  readonly rates: Rates
  readonly usage: UsageMeter
  readonly embeddingMeter: EmbeddingMeter
  readonly served: Served
}

/** Opens them as the settings say; their state is in the database, or, where that is in this process alone, in memory. */
export function openLimits(database: Database, config: Config, log: Log): OpenedLimits {
  const { inferenceTokensPerDay, searchesPerTenantMax: max } = config
  const usage = createUsageMeter({ database, flushing: "timer", log })
  const { count } = usage
  const budget = openInferenceBudget(database, inferenceTokensPerDay)
  const store = database.driver === "pglite" ? createMemoryLimits() : createPostgresLimits(database)
  const timed = createTimedDatabase(database, config.databaseTimeoutMs)
  return {
    database: createBoundedDatabase(timed, config.databaseQueueMax),
    rates: createRates(store, config),
    usage,
    embeddingMeter: { count, budget },
    served: { count, inPlace: max === undefined ? undefined : createTenantPlaces({ max }) },
  }
}
