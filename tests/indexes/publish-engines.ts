import type { OpenedEngine } from "../../lib/indexes/open-index.ts"
import { createPgvectorIndex } from "../../lib/indexes/pgvector/pgvector-index.ts"
import { openEmptyDatabase } from "../database.ts"
import { testServerUrl } from "../postgres-server.ts"
import { hasChroma, startTestChroma } from "./chroma-server.ts"
import { accessTo } from "./foreign-postgres.ts"
import { DIMENSIONS } from "./records.ts"
import { startPineconeStub } from "./stub-pinecone.ts"
import { startQdrantStub } from "./stub-qdrant.ts"
import { startWeaviateStub } from "./stub-weaviate.ts"

/** An engine that can be written into, as the settings name it. */
export interface WritableEngine {
  readonly environment: Readonly<Record<string, string>>
  /** In place of what the settings would open. */
  readonly opened?: OpenedEngine
  close(): Promise<void>
}

async function startPgvector(): Promise<WritableEngine> {
  const test = await openEmptyDatabase()
  const names = { id: "id", content: "content", embedding: "embedding", metadata: "metadata", textConfig: "english" }
  return {
    environment: { PGVECTOR_URL: "postgres://somebody@nowhere/db" },
    opened: {
      open: (table) => createPgvectorIndex(accessTo(test), { ...names, table, tsvector: "words" }),
      placeOf: () => "test",
      close: async () => {},
    },
    close: () => test.close(),
  }
}

async function startPinecone(): Promise<WritableEngine> {
  const dense = { dimension: DIMENSIONS, metric: "cosine" } as const
  const words = { dimension: null, metric: "dotproduct" } as const
  const { controllerUrl, close } = await startPineconeStub({ docs: dense, words, parents: dense })
  const environment = {
    PINECONE_CONTROLLER_HOST: controllerUrl,
    PINECONE_API_KEY: "right-key",
    PINECONE_INDEX_NAME: "docs",
    PINECONE_SPARSE_INDEX_NAME: "words",
    PINECONE_PARENT_INDEX_NAME: "parents",
  }
  return { environment, close }
}

type Engines = Readonly<Record<string, () => Promise<WritableEngine>>>

const WITHOUT_SERVER: Engines = {
  async qdrant() {
    const { url, close } = await startQdrantStub()
    return { environment: { QDRANT_URL: url, QDRANT_API_KEY: "right-key", QDRANT_SPARSE: "true" }, close }
  },
  pinecone: startPinecone,
  async weaviate() {
    const { url, close } = await startWeaviateStub()
    return { environment: { WEAVIATE_URL: url, WEAVIATE_API_KEY: "right-key" }, close }
  },
  ...(hasChroma && {
    async chroma() {
      const { url, stop } = await startTestChroma()
      return { environment: { CHROMA_URL: url }, close: stop }
    },
  }),
}

/**
 * Each starts empty. Chroma's is its own server, pgvector's a real table; the others are stubs. A run on a server asks only
 * what needs it.
 */
export const WRITABLE_ENGINES: Engines = { pgvector: startPgvector, ...(testServerUrl() ? {} : WITHOUT_SERVER) }
