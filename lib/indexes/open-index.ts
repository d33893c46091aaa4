import { AppError } from "../errors.ts"
import type { SearchIndex } from "./search-index.ts"

/** Settings of the engines, as `lib/config.ts` has them. */
export interface EngineSettings {
  readonly vectordbProvider: "concordance" | "qdrant" | "pinecone" | "weaviate" | "chroma" | "pgvector"
  readonly chromaUrl?: string | undefined
  readonly chromaApiKey?: string | undefined
  readonly chromaPersistDir: string
  readonly pgvectorUrl?: string | undefined
  readonly pgvectorIdColumn: string
  readonly pgvectorContentColumn: string
  readonly pgvectorEmbeddingColumn: string
  readonly pgvectorMetadataColumn: string
  readonly pgvectorTsvectorColumn?: string | undefined
  readonly pgvectorTextConfig: string
}

/** Opens collections of one engine. */
export interface OpenedEngine {
  /** The collection of that name, whether it is there or not. Nothing is asked of the engine yet. */
  open(collection: string): SearchIndex
  /** Ends what was opened besides the collections. */
  close(): Promise<void>
}

const nothing = () => Promise.resolve()

/**
 * The engine that the settings name; its client is loaded here and nowhere else.
 *
 * @throws AppError `invalid_configuration`
 */
export async function openEngine(settings: EngineSettings): Promise<OpenedEngine> {
  switch (settings.vectordbProvider) {
    case "chroma":
      return openChroma(settings)
    case "pgvector":
      return openPgvector(settings)
    default:
      throw new AppError(
        "invalid_configuration",
        `VECTORDB_PROVIDER=${settings.vectordbProvider} can't be opened as an external index.`,
      )
  }
}

async function openChroma({
  chromaUrl,
  chromaApiKey: apiKey,
  chromaPersistDir,
}: EngineSettings): Promise<OpenedEngine> {
  const { createChromaIndex } = await import("./chroma/chroma-index.ts")
  if (chromaUrl !== undefined) {
    return { open: (collection) => createChromaIndex({ url: chromaUrl, apiKey, collection }), close: nothing }
  }
  const { startChroma } = await import("./chroma/start-chroma.ts")
  const { url, stop } = await startChroma(chromaPersistDir)
  return { open: (collection) => createChromaIndex({ url, apiKey: undefined, collection }), close: stop }
}

async function openPgvector(settings: EngineSettings): Promise<OpenedEngine> {
  const { pgvectorUrl: url } = settings
  if (url === undefined)
    throw new AppError("invalid_configuration", "PGVECTOR_URL must be set where VECTORDB_PROVIDER is pgvector.")
  const [{ openPgAccess }, { createPgvectorIndex }] = await Promise.all([
    import("./pgvector/pg-access.ts"),
    import("./pgvector/pgvector-index.ts"),
  ])
  const access = openPgAccess(url)
  const open = (table: string) =>
    createPgvectorIndex(
      { ...access, close: nothing },
      {
        table,
        id: settings.pgvectorIdColumn,
        content: settings.pgvectorContentColumn,
        embedding: settings.pgvectorEmbeddingColumn,
        metadata: settings.pgvectorMetadataColumn,
        tsvector: settings.pgvectorTsvectorColumn ?? null,
        textConfig: settings.pgvectorTextConfig,
      },
    )
  return { open, close: () => access.close() }
}
