import { AppError } from "../errors.ts"
import type { Embedder } from "./inference.ts"
import { type EmbeddingMeter, meterEmbedder, patientEmbedder } from "./meter-embedder.ts"

/** Which model each tenant's vectors are by, where that isn't the same for all (ADR 22). */
export interface TenantModels {
  /**
   * The model to search by; `standard` where the tenant has none of its own. Never rejects: one that can't be opened here is
   * an embedder that fails, so that the search goes by words and says so.
   */
  forSearch(tenant: string, standard: Embedder | null): Promise<Embedder | null>
  /** The model to write by. Rejects with `inference_unavailable` or `invalid_configuration` where it can't be opened. */
  forWrite(tenant: string, standard: Embedder | null): Promise<Embedder | null>
  /** The tenant's model was changed: the next question asks the database. */
  forget(tenant: string): void
}

/** The same for writing that nobody waits for. */
export function patientModels(models: TenantModels): TenantModels {
  return {
    ...models,
    async forWrite(tenant, standard) {
      const model = await models.forWrite(tenant, standard)
      return model && patientEmbedder(model)
    },
  }
}

/** Where a part gets its model. */
export interface ModelDeps {
  /** The one that the settings name; null: words alone. */
  readonly embedder: Embedder | null
  /** Absent: `embedder` for everybody. */
  readonly models?: TenantModels | undefined
  /** Counts what is embedded to be written. */
  readonly meter?: EmbeddingMeter | undefined
}

/** The tenant's model for one search. */
export async function searchModel({ embedder, models }: ModelDeps, tenant: string): Promise<Embedder | null> {
  return models ? models.forSearch(tenant, embedder) : embedder
}

/** The tenant's model changed while something was embedded by the old one: nothing was written. */
export class ModelMoved extends AppError {
  constructor() {
    super("conflict", "The model of this tenant was changed meanwhile, and nothing was written. Send it again.")
  }
}

/** A model changes once in months: a third time is no race any more. */
const ATTEMPTS_MAX = 3

/**
 * Runs `work`, which embeds and writes, by the tenant's model; once more by the new one where it changed meanwhile. Throws
 * what `work` throws, and as `TenantModels.forWrite`.
 */
export async function withWriteModel<T>(
  { embedder, models, meter }: ModelDeps,
  tenant: string,
  work: (embedder: Embedder | null) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const model = models ? await models.forWrite(tenant, embedder) : embedder
      return await work(model && meter ? meterEmbedder(model, tenant, meter) : model)
    } catch (error) {
      if (!(error instanceof ModelMoved) || !models || attempt === ATTEMPTS_MAX) throw error
      models.forget(tenant)
    }
  }
}
