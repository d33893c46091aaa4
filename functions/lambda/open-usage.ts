import { openInferenceBudget } from "../../lib/limits/postgres-token-budget.ts"
import { createUsageMeter } from "../../lib/usage/usage-meter.ts"
import type { LambdaParts } from "./http-handler.ts"

/** Counts what tenants use, and what is embedded for them. A Lambda sleeps between requests, so calls wait for it now and then. */
export function openUsage({ database, config, log }: Pick<LambdaParts, "database" | "config" | "log">) {
  const { count, flush } = createUsageMeter({ database, flushing: "calls", log })
  const budget = openInferenceBudget(database, config.inferenceTokensPerDay)
  return { count, flush, embeddingMeter: { count, budget } }
}
