import { tmpdir } from "node:os"
import { join } from "node:path"
import { Resource } from "sst"
import type { EnvironmentRecord } from "../../lib/config.ts"

/** What infra/ links to a function gives which setting. */
export const LINKED = {
  DATABASE_URL: ["Database", "url"],
  MIGRATION_DATABASE_URL: ["DatabaseOwner", "url"],
  OBJECT_STORE_BUCKET: ["ObjectStore", "bucket"],
  EMBEDDING_API_KEY: ["EmbeddingApiKey", "value"],
  EMBED_SERVICE_API_KEY: ["EmbedServiceApiKey", "value"],
  SPACES_API_KEY: ["SpacesApiKey", "value"],
  LLM_API_KEY: ["LlmApiKey", "value"],
  QDRANT_API_KEY: ["QdrantApiKey", "value"],
  PINECONE_API_KEY: ["PineconeApiKey", "value"],
  WEAVIATE_API_KEY: ["WeaviateApiKey", "value"],
  CHROMA_API_KEY: ["ChromaApiKey", "value"],
  PGVECTOR_URL: ["PgvectorUrl", "value"],
} as const

/** The settings that this function's links give. The one file that reads SST's `Resource`. */
export function linkedSettings(): EnvironmentRecord {
  const settings = Object.entries(LINKED).map(([key, [name, property]]) => [key, linked(name, property)] as const)
  return {
    ...Object.fromEntries(settings.filter(([, value]) => value)),
    // All that a Lambda may write to.
    CONCORDANCE_HOME: join(tmpdir(), "concordance"),
  }
}

/** Name of the models' Lambda; undefined where no function of ours runs them. */
export const inferenceFunction = () => linked("Inference", "functionName")

/** Where messages for `ingest` go. */
export const ingestQueueUrl = () => linked("IngestMessages", "url")

/** The key with which an installation begins. */
export const seedApiKey = () => linked("ApiKey", "value")

/** Undefined where it isn't linked: `Resource` throws for that. */
function linked(name: string, property: string): string | undefined {
  try {
    return (Resource as unknown as Record<string, Record<string, string>>)[name]?.[property]
  } catch {
    return undefined
  }
}
