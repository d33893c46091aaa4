import * as z from "zod/mini"
import { choice, flag, httpUrl, httpUrlOr, key, name, nameOr, postgresUrl, secret } from "./environment-keys.ts"

/** Of all of these. */
const INDEX = { group: "External index" } as const

/** Setting that overrides what the field mapping guesses. */
const field = () => name(INDEX)

/** Keys of the environment that choose the index that is searched, and say how its records are to be read. */
export const indexKeys = {
  VECTORDB_PROVIDER: choice(
    ["concordance", "qdrant", "pinecone", "weaviate", "chroma", "pgvector"],
    "concordance",
    INDEX,
  ),
  VECTORDB_HYBRID_STRATEGY: choice(["rrf", "weighted", "semantic", "two_pass"], "rrf", INDEX),
  VECTORDB_NATIVE_HYBRID: flag(INDEX),
  VECTORDB_TENANCY: choice(["single", "partition", "field"], "single", INDEX),
  VECTORDB_TENANT: nameOr("primary", INDEX),
  VECTORDB_TENANT_FIELD: name(INDEX),
  RETRIEVAL_COLLECTION: nameOr("self_rag_documents", {
    ...INDEX,
    alias: "PGVECTOR_TABLE",
  }),
  PARENT_EXPANSION_COLLECTION: key(
    z.pipe(
      z._default(z.string().check(z.maxLength(500)), "self_rag_parents"),
      z.transform((value: string) => (value === "null" ? null : value)),
    ),
    {
      ...INDEX,
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
  QDRANT_URL: httpUrlOr("http://localhost:6333", INDEX),
  QDRANT_API_KEY: secret(INDEX),
  QDRANT_VECTOR: name(INDEX),
  QDRANT_SPARSE: flag(INDEX),
  PINECONE_API_KEY: secret(INDEX),
  PINECONE_INDEX_NAME: name(INDEX),
  PINECONE_HOST: name(INDEX),
  PINECONE_SPARSE_INDEX_NAME: name(INDEX),
  PINECONE_PARENT_INDEX_NAME: name(INDEX),
  PINECONE_CONTROLLER_HOST: httpUrlOr("https://api.pinecone.io", INDEX),
  WEAVIATE_URL: httpUrlOr("http://localhost:8080", INDEX),
  WEAVIATE_API_KEY: secret(INDEX),
  WEAVIATE_VECTOR: name(INDEX),
  CHROMA_URL: httpUrl(INDEX),
  CHROMA_API_KEY: secret(INDEX),
  CHROMA_PERSIST_DIR: nameOr("./chroma_data", INDEX),
  PGVECTOR_URL: postgresUrl(INDEX),
  PGVECTOR_ID_COLUMN: nameOr("id", INDEX),
  PGVECTOR_CONTENT_COLUMN: nameOr("content", INDEX),
  PGVECTOR_EMBEDDING_COLUMN: nameOr("embedding", INDEX),
  PGVECTOR_METADATA_COLUMN: nameOr("metadata", INDEX),
  PGVECTOR_TSVECTOR_COLUMN: name(INDEX),
  PGVECTOR_TEXT_CONFIG: nameOr("english", INDEX),
}
