import type { Config } from "../config.ts"
import type { Database } from "../database/database.ts"
import { modelText } from "../documents/model-text.ts"
import { AppError } from "../errors.ts"
import { openEngine } from "../indexes/open-index.ts"
import type { PassageModel } from "../indexes/publish/create-publication.ts"
import { openPublication, type Publication } from "../indexes/publish/open-publication.ts"
import type { Embedder } from "../inference/inference.ts"

interface PublicationParts {
  readonly config: Config
  readonly database: Database
  readonly embedder: Embedder | null
}

/**
 * Opens the collections of an engine, for one tenant's documents. Throws as `lib/indexes/publish/open-publication.ts` does.
 *
 * @param engine in place of VECTORDB_PROVIDER
 */
export type OpenPublication = (
  engine: Exclude<Config["vectordbProvider"], "concordance">,
  tenant: string,
  signal: AbortSignal,
) => Promise<Publication>

export function createOpenPublication({ config, database, embedder }: PublicationParts): OpenPublication {
  return async (vectordbProvider, tenant, signal) => {
    if (!embedder)
      throw new AppError(
        "invalid_configuration",
        "An index elsewhere is of vectors, and there is no embedding model. Set EMBEDDING_MODEL.",
      )
    const settings = { ...config, vectordbProvider }
    const engine = await openEngine(settings)
    return openPublication({ settings, engine, database, tenant, model: passageModel(embedder), signal })
  }
}

/** The embedder, as it reads passages of the database: as an ingestion would. */
export function passageModel(embedder: Embedder): PassageModel {
  const { model, dimensions } = embedder
  return {
    model,
    dimensions,
    async embed(passages, signal) {
      const texts = passages.map((passage) =>
        modelText(embedder, passage.title, passage, passage.translation ?? undefined),
      )
      const { vectors, truncated } = await embedder.embed(texts, "passage", { signal })
      return { vectors, truncated: truncated.length }
    },
  }
}
