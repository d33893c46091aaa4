import type { Database, OwnerDatabase } from "../database/database.ts"
import { parseOpening } from "../inference/model-opening.ts"
import type { WarmModel } from "../inference/open-inference.ts"
import type { TenantModels } from "../inference/tenant-models.ts"
import type { Log } from "../log.ts"
import { createTenantModels } from "./create-tenant-models.ts"
import { createModelPool, type OpenModel } from "./open-model-pool.ts"

interface TenantModelsParts {
  readonly database: Database
  readonly open: OpenModel
  readonly log: Log
}

/** Models of tenants whose vectors are by another than the one that the settings name (ADR 22). */
export interface OpenedTenantModels {
  readonly models: TenantModels
  /** Opens those in use, but for `standard`, so that no first search waits for them. Never rejects for a model. */
  warm(owner: OwnerDatabase, standard: string | null): Promise<readonly WarmModel[]>
  /** Those that couldn't be opened here, by name. */
  failed(): readonly string[]
  close(): Promise<void>
}

const IN_USE = `
  select distinct model, opening::text as opening from concordance.embedding_spaces
   where state = 'active' and opening is not null and model is distinct from $1`

/** Nothing is opened yet. */
export function openTenantModels({ database, open, log }: TenantModelsParts): OpenedTenantModels {
  const pool = createModelPool(open, log)
  return {
    models: createTenantModels({ database, pool, log }),
    async warm(owner, standard) {
      const rows = await owner.session((session) =>
        session.query<{ model: string; opening: string }>(IN_USE, [standard]),
      )
      return Promise.all(
        rows.map(async ({ model, opening }) => {
          const began = performance.now()
          const slot = pool.get({ model, opening: parseOpening(JSON.parse(opening), model) })
          await slot.opened.catch(() => {})
          return {
            ...{ role: "embedder" as const, model, failure: slot.failure },
            tookMs: Math.round(performance.now() - began),
          }
        }),
      )
    },
    failed: () => pool.failed(),
    close: () => pool.close(),
  }
}
