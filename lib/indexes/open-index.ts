import { resolve } from "node:path"
import { AppError } from "../errors.ts"
import { placeOfUrl } from "./place-of-url.ts"
import type { SearchIndex } from "./search-index.ts"

/** Settings of the engines, as `lib/config.ts` has them. */
export interface EngineSettings {
  readonly vectordbProvider: "concordance" | "qdrant" | "pinecone" | "weaviate" | "chroma" | "pgvector"
  readonly vectordbTenancy: "single" | "partition" | "field"
  readonly parentExpansionCollection: string | null
  readonly qdrantUrl: string
  readonly qdrantApiKey?: string | undefined
  readonly qdrantVector?: string | undefined
  readonly qdrantSparse: boolean
  readonly pineconeApiKey?: string | undefined
  readonly pineconeIndexName?: string | undefined
  readonly pineconeHost?: string | undefined
  readonly pineconeSparseIndexName?: string | undefined
  readonly pineconeParentIndexName?: string | undefined
  readonly pineconeControllerHost: string
  readonly weaviateUrl: string
  readonly weaviateApiKey?: string | undefined
  readonly weaviateVector?: string | undefined
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
  /** Where that collection is, without credentials and the same each time: with its name it tells it from any other. */
  placeOf(collection: string): string
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
    case "qdrant":
      return openQdrant(settings)
    case "pinecone":
      return openPinecone(settings)
    case "weaviate":
      return openWeaviate(settings)
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

async function openQdrant(settings: EngineSettings): Promise<OpenedEngine> {
  const { createQdrantIndex } = await import("./qdrant/qdrant-index.ts")
  const { qdrantUrl: url, qdrantApiKey: apiKey, qdrantVector: vector, qdrantSparse: hasWords } = settings
  return {
    open: (collection) => createQdrantIndex({ url, apiKey, vector, hasWords, collection }),
    placeOf: () => placeOfUrl(url),
    close: nothing,
  }
}

async function openPinecone(settings: EngineSettings): Promise<OpenedEngine> {
  const { pineconeApiKey: apiKey, pineconeIndexName: index, pineconeParentIndexName: parentIndex } = settings
  if (apiKey === undefined || index === undefined) {
    const unset = apiKey === undefined ? "PINECONE_API_KEY" : "PINECONE_INDEX_NAME"
    throw new AppError("invalid_configuration", `${unset} must be set where VECTORDB_PROVIDER is pinecone.`)
  }
  const { vectordbTenancy, parentExpansionCollection, pineconeControllerHost: controllerUrl } = settings
  if (vectordbTenancy === "partition" && parentExpansionCollection !== null && parentIndex === undefined) {
    throw new AppError(
      "invalid_configuration",
      "VECTORDB_TENANCY is partition: a tenant's namespace would hold passages and parents alike. Set PINECONE_PARENT_INDEX_NAME to an index for parents, or PARENT_EXPANSION_COLLECTION to null.",
    )
  }
  const { createPineconeIndex } = await import("./pinecone/pinecone-index.ts")
  const isOfParents = (collection: string) => parentIndex !== undefined && collection === parentExpansionCollection
  const open = (collection: string) => {
    const access = { apiKey, controllerUrl, collection }
    if (parentIndex !== undefined && isOfParents(collection))
      return createPineconeIndex({ ...access, index: parentIndex, host: undefined, sparseIndex: null })
    const sparseIndex = settings.pineconeSparseIndexName ?? null
    return createPineconeIndex({ ...access, index, host: settings.pineconeHost, sparseIndex })
  }
  const placeOf = (collection: string) =>
    `${placeOfUrl(controllerUrl)}/${isOfParents(collection) ? parentIndex : index}`
  return { open, placeOf, close: nothing }
}

async function openWeaviate(settings: EngineSettings): Promise<OpenedEngine> {
  const { createWeaviateIndex } = await import("./weaviate/weaviate-index.ts")
  const { weaviateUrl: url, weaviateApiKey: apiKey, weaviateVector: vector } = settings
  const isDivided = settings.vectordbTenancy === "partition"
  return {
    open: (collection) => createWeaviateIndex({ url, apiKey, vector, isDivided, collection }),
    placeOf: () => placeOfUrl(url),
    close: nothing,
  }
}

async function openChroma({
  chromaUrl,
  chromaApiKey: apiKey,
  chromaPersistDir,
}: EngineSettings): Promise<OpenedEngine> {
  const { createChromaIndex } = await import("./chroma/chroma-index.ts")
  if (chromaUrl !== undefined) {
    return {
      open: (collection) => createChromaIndex({ url: chromaUrl, apiKey, collection }),
      placeOf: () => placeOfUrl(chromaUrl),
      close: nothing,
    }
  }
  const { startChroma } = await import("./chroma/start-chroma.ts")
  const { url, stop } = await startChroma(chromaPersistDir)
  return {
    open: (collection) => createChromaIndex({ url, apiKey: undefined, collection }),
    // Its port is another each time.
    placeOf: () => resolve(chromaPersistDir),
    close: stop,
  }
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
  return { open, placeOf: () => access.address, close: () => access.close() }
}
