import * as z from "zod"
import { choice, flag, httpUrl, httpUrlOr, key, name, nameOr, postgresUrl, secret } from "./environment-keys.ts"

/** Setting that overrides what the field mapping guesses. */
const field = () => name({ group: "External index" })

/** Keys of the environment that choose the index that is searched, and say how its records are to be read. */
export const indexKeys = {
  VECTORDB_PROVIDER: choice(["concordance", "qdrant", "pinecone", "weaviate", "chroma", "pgvector"], "concordance", {
    group: "External index",
  }),
  VECTORDB_HYBRID_STRATEGY: choice(["rrf", "weighted", "semantic", "two_pass"], "rrf", {
    group: "External index",
  }),
  VECTORDB_NATIVE_HYBRID: flag({
    group: "External index",
  }),
  VECTORDB_TENANCY: choice(["single", "partition", "field"], "single", {
    group: "External index",
  }),
  VECTORDB_TENANT: nameOr("primary", {
    group: "External index",
  }),
  VECTORDB_TENANT_FIELD: name({
    group: "External index",
  }),
  RETRIEVAL_COLLECTION: nameOr("self_rag_documents", {
    group: "External index",
    alias: "PGVECTOR_TABLE",
  }),
  PARENT_EXPANSION_COLLECTION: key(
    z
      .string()
      .max(500)
      .default("self_rag_parents")
      .transform((value) => (value === "null" ? null : value)),
    {
      group: "External index",
      values: "a name of at most 500 characters, or null",
      fallback: "self_rag_parents",
    },
  ),
  VECTORDB_CONTENT_FIELD: field(),
  VECTORDB_TITLE_FIELD: field(),
  VECTORDB_DOCUMENT_FIELD: field(),
  VECTORDB_CHUNK_FIELD: field(),
  VECTORDB_PAGE_FIELD: field(),
  VECTORDB_PARENT_FIELD: field(),
  VECTORDB_METADATA_FIELD: field(),
  QDRANT_URL: httpUrlOr("http://localhost:6333", { group: "External index" }),
  QDRANT_API_KEY: secret({ group: "External index" }),
  QDRANT_VECTOR: name({
    group: "External index",
  }),
  QDRANT_SPARSE: flag({
    group: "External index",
  }),
  PINECONE_API_KEY: secret({ group: "External index" }),
  PINECONE_INDEX_NAME: name({
    group: "External index",
  }),
  PINECONE_HOST: name({
    group: "External index",
  }),
  PINECONE_SPARSE_INDEX_NAME: name({
    group: "External index",
  }),
  PINECONE_PARENT_INDEX_NAME: name({
    group: "External index",
  }),
  PINECONE_CONTROLLER_HOST: httpUrlOr("https://api.pinecone.io", {
    group: "External index",
  }),
  WEAVIATE_URL: httpUrlOr("http://localhost:8080", { group: "External index" }),
  WEAVIATE_API_KEY: secret({ group: "External index" }),
  WEAVIATE_VECTOR: name({
    group: "External index",
  }),
  CHROMA_URL: httpUrl({
    group: "External index",
  }),
  CHROMA_API_KEY: secret({ group: "External index" }),
  CHROMA_PERSIST_DIR: nameOr("./chroma_data", {
    group: "External index",
  }),
  PGVECTOR_URL: postgresUrl({
    group: "External index",
  }),
  PGVECTOR_ID_COLUMN: nameOr("id", { group: "External index" }),
  PGVECTOR_CONTENT_COLUMN: nameOr("content", { group: "External index" }),
  PGVECTOR_EMBEDDING_COLUMN: nameOr("embedding", {
    group: "External index",
  }),
  PGVECTOR_METADATA_COLUMN: nameOr("metadata", {
    group: "External index",
  }),
  PGVECTOR_TSVECTOR_COLUMN: name({
    group: "External index",
  }),
  PGVECTOR_TEXT_CONFIG: nameOr("english", {
    group: "External index",
  }),
}
