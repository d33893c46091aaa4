import { parseConfig } from "../../lib/config.ts"
import { openEngine } from "../../lib/indexes/open-index.ts"
import type { NewRecord } from "../../lib/indexes/search-index.ts"
import { openEmptyDatabase } from "../database.ts"
import { testServerDriver, testServerUrl } from "../postgres-server.ts"
import { hasChroma, startTestChroma } from "./chroma-server.ts"
import { callIn } from "./records.ts"
import { startPineconeStub } from "./stub-pinecone.ts"
import { startQdrantStub } from "./stub-qdrant.ts"
import { startWeaviateStub } from "./stub-weaviate.ts"

/** Vectors of the product's own default model. */
const DIMENSIONS = 384

/** Settings under which the product reads what was written. */
export type Settings = Readonly<Record<string, string>>

/** Somebody's vectors in one engine, reached by its settings. */
export interface StartedEngine {
  /** With VECTORDB_TENANCY=field. */
  readonly byField: Settings
  /** With VECTORDB_TENANCY=partition; null: the engine has none. */
  readonly byPartition: Settings | null
  /** Writes records into a collection as the tools write them that people come from. */
  write(collection: "children" | "parents", records: readonly NewRecord[], partition: string | null): Promise<void>
  close(): Promise<void>
}

export interface EngineUnderTest {
  /** Why it can't run here; null: it can. */
  readonly missing: string | null
  start(): Promise<StartedEngine>
}

/** A run on a server asks only what needs it: the others were asked without. */
const ASKED_WITHOUT_SERVER = testServerUrl() ? "npm test asks it" : null

/** Each engine, as its users have it. */
export const ENGINES: Readonly<Record<string, EngineUnderTest>> = {
  chroma: {
    missing: hasChroma ? ASKED_WITHOUT_SERVER : "npm run chroma:install brings its server",
    start: startChroma,
  },
  pgvector: {
    // Its adapter speaks to a server itself, whatever the driver of Concordance's own database.
    missing:
      testServerUrl() && testServerDriver() === "pg" ? null : "npm run test:postgres has the server that it needs",
    start: startPgvector,
  },
  qdrant: { missing: ASKED_WITHOUT_SERVER, start: startQdrant },
  pinecone: { missing: ASKED_WITHOUT_SERVER, start: startPinecone },
  weaviate: { missing: ASKED_WITHOUT_SERVER, start: startWeaviate },
}

/** LangChain's Chroma: the text is the document, the metadata flat. */
async function startChroma(): Promise<StartedEngine> {
  const { url, stop } = await startTestChroma()
  const at = { VECTORDB_PROVIDER: "chroma", CHROMA_URL: url }
  return {
    ...{ byField: { ...at, ...byField("owner") }, byPartition: { ...at, VECTORDB_TENANCY: "partition" } },
    write: (collection, records, partition) => writeByAdapter(at, collection, records, partition),
    close: stop,
  }
}

/** LangChain's Qdrant: text and metadata apart. Sparse vectors that nobody can ask without their model aren't there. */
async function startQdrant(): Promise<StartedEngine> {
  const { url, close } = await startQdrantStub()
  const at = { VECTORDB_PROVIDER: "qdrant", QDRANT_URL: url, QDRANT_API_KEY: "right-key" }
  return {
    ...{ byField: { ...at, ...byField("metadata.owner") }, byPartition: null },
    async write(collection, records) {
      const name = `self_rag_${collection === "children" ? "documents" : "parents"}`
      await writeByAdapter(at, collection, [], null)
      const points = records.map(({ id, text, payload, vector }) => ({
        ...{ id, vector: [...(vector as ArrayLike<number> & Iterable<number>)] },
        payload: { page_content: text, metadata: payload },
      }))
      const response = await fetch(`${url}/collections/${name}/points?wait=true`, {
        method: "PUT",
        headers: { "api-key": "right-key", "content-type": "application/json" },
        body: JSON.stringify({ points }),
      })
      if (!response.ok) throw new Error(await response.text())
    },
    close,
  }
}

async function startPinecone(): Promise<StartedEngine> {
  const dense = { dimension: DIMENSIONS, metric: "cosine" } as const
  const words = { dimension: null, metric: "dotproduct" } as const
  const { controllerUrl, close } = await startPineconeStub({ docs: dense, parents: dense, words })
  const at = {
    ...{ VECTORDB_PROVIDER: "pinecone", PINECONE_CONTROLLER_HOST: controllerUrl, PINECONE_API_KEY: "right-key" },
    ...{ PINECONE_INDEX_NAME: "docs", PINECONE_SPARSE_INDEX_NAME: "words", PINECONE_PARENT_INDEX_NAME: "parents" },
  }
  return {
    ...{ byField: { ...at, ...byField("owner") }, byPartition: { ...at, VECTORDB_TENANCY: "partition" } },
    write: (collection, records, partition) => writeByAdapter(at, collection, records, partition),
    close,
  }
}

async function startWeaviate(): Promise<StartedEngine> {
  const { url, close } = await startWeaviateStub()
  const at = { VECTORDB_PROVIDER: "weaviate", WEAVIATE_URL: url, WEAVIATE_API_KEY: "right-key" }
  // A class has tenants or it doesn't.
  const divided = { RETRIEVAL_COLLECTION: "divided_documents", PARENT_EXPANSION_COLLECTION: "divided_parents" }
  const byPartition = { ...at, ...divided, VECTORDB_TENANCY: "partition" }
  return {
    ...{ byField: { ...at, ...byField("owner") }, byPartition },
    write: (collection, records, partition) =>
      writeByAdapter(partition === null ? at : byPartition, collection, records, partition),
    close,
  }
}

/** LangChain's table, with a column that says whose a row is. */
async function startPgvector(): Promise<StartedEngine> {
  const database = await openEmptyDatabase()
  await database.owner.session((session) => session.query("create extension if not exists vector"))
  const at = {
    ...{ VECTORDB_PROVIDER: "pgvector", PGVECTOR_URL: database.urls?.owner ?? "" },
    ...{ PGVECTOR_CONTENT_COLUMN: "document", PGVECTOR_METADATA_COLUMN: "cmetadata" },
  }
  return {
    ...{ byField: { ...at, ...byField("owner") }, byPartition: null },
    async write(collection, records) {
      const name = `self_rag_${collection === "children" ? "documents" : "parents"}`
      await database.owner.session(async (session) => {
        await session.query(
          `create table if not exists ${name} (id uuid primary key, embedding vector(${DIMENSIONS}), document text, cmetadata jsonb, owner text)`,
        )
        for (const { id, text, payload, vector } of records) {
          const { owner, ...metadata } = payload
          const values = [id, JSON.stringify(Array.from(vector)), text, JSON.stringify(metadata), owner as string]
          await session.query(`insert into ${name} values ($1::uuid, $2::vector, $3, $4::jsonb, $5)`, values)
        }
      })
    },
    close: () => database.close(),
  }
}

const byField = (field: string): Settings => ({ VECTORDB_TENANCY: "field", VECTORDB_TENANT_FIELD: field })

/** As `ensureCollection` and `upsert` of the engine's adapter do. */
async function writeByAdapter(
  settings: Settings,
  collection: "children" | "parents",
  records: readonly NewRecord[],
  partition: string | null,
): Promise<void> {
  const tenancy = partition === null ? {} : { VECTORDB_TENANCY: "partition" }
  const config = parseConfig({ ...settings, ...tenancy })
  const { open, close } = await openEngine(config)
  const index = open(collection === "children" ? config.retrievalCollection : (config.parentExpansionCollection ?? ""))
  try {
    await index.ensureCollection?.(DIMENSIONS, callIn(30_000, partition))
    await index.upsert?.(records, callIn(30_000, partition))
  } finally {
    await index.close()
    await close()
  }
}
