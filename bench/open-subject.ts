import type { Config } from "../lib/config.ts"
import type { Database, OwnerDatabase } from "../lib/database/database.ts"
import { MIGRATIONS_FOLDER, migrate } from "../lib/database/migrate.ts"
import { openDatabase } from "../lib/database/open-database.ts"
import { loadQuestionDetector } from "../lib/detect-language.ts"
import { createIndexDocuments, type IndexDocuments } from "../lib/documents/index-documents.ts"
import { AppError } from "../lib/errors.ts"
import type { Embedder } from "../lib/inference/inference.ts"
import { openInference } from "../lib/inference/open-inference.ts"
import { databaseCandidates } from "../lib/search/database-candidates.ts"
import { createSearch, type Search } from "../lib/search/search.ts"
import { createCachingEmbedder } from "./caching-embedder.ts"

/** What a bench measures: the product's own functions, over a database of the bench's. */
export interface Subject {
  readonly database: Database
  readonly owner: OwnerDatabase
  readonly search: Search
  /** Passages from the cache of earlier runs, queries through the model. */
  readonly embedder: Embedder
  /** The model itself. */
  readonly model: Embedder
  /** The index path with another embedder in it, or with none. */
  indexWith(embedder: Embedder | null): IndexDocuments
  /** Server and version. */
  readonly databaseVersion: string
  close(): Promise<void>
}

/** No search of a bench is cut short: what is slow shows in its figures. */
const TIMEOUT_MS = 600_000

/** Opens the models of the configuration, and the database of the URL (an embedded one in memory without). */
export async function openSubject(config: Config, url: string | undefined): Promise<Subject> {
  const { database, owner } = await openDatabase({ url, home: "memory://" })
  const inference = await openInference({ ...config, home: config.concordanceHome })
  const close = async () => {
    await inference.close()
    await database.close()
    await owner.close()
  }
  try {
    if (!inference.embedder) throw new AppError("invalid_configuration", "EMBEDDING_MODEL must name a model to bench.")
    await migrate(owner, MIGRATIONS_FOLDER)
    await inference.warm()
    const embedder = await createCachingEmbedder(inference.embedder)
    const settings = { ...config, embedTimeoutMs: TIMEOUT_MS, rerankTimeoutMs: TIMEOUT_MS }
    return {
      database,
      owner,
      embedder,
      model: inference.embedder,
      search: createSearch({
        find: databaseCandidates(database),
        embedder: inference.embedder,
        reranker: inference.reranker,
        detector: loadQuestionDetector,
        settings,
      }),
      indexWith: (other) => createIndexDocuments({ database, embedder: other }),
      databaseVersion: `${database.driver}, ${await readVersion(owner)}`,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function readVersion(owner: OwnerDatabase): Promise<string> {
  const [row] = await owner.session((session) =>
    session.query<{ version: string }>(
      `select format('PostgreSQL %s, pgvector %s', split_part(current_setting('server_version'), ' ', 1), extversion) as version
         from pg_extension where extname = 'vector'`,
    ),
  )
  return row?.version ?? "PostgreSQL"
}
