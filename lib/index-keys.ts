import * as z from "zod"
import { choice, flag, httpUrl, httpUrlOr, key, name, nameOr, postgresUrl, secret } from "./environment-keys.ts"

/** Setting that overrides what the field mapping guesses. */
const field = (what: string) =>
  name({
    group: "External index",
    description: `Field of a record's payload that has ${what}; dots go into objects. Unset: guessed`,
  })

/** Keys of the environment that choose the index that is searched, and say how its records are to be read. */
export const indexKeys = {
  VECTORDB_PROVIDER: choice(["concordance", "qdrant", "pinecone", "weaviate", "chroma", "pgvector"], "concordance", {
    group: "External index",
    description:
      "The index that `/search` and retrieval read: Concordance's own, or one that is there already: docs/external-indexes.md",
  }),
  VECTORDB_HYBRID_STRATEGY: choice(["rrf", "weighted", "semantic", "two_pass"], "rrf", {
    group: "External index",
    description:
      "How its two lists are fused, by `/search` when the request names no `strategy` and by retrieval. No effect on Concordance's own",
  }),
  VECTORDB_NATIVE_HYBRID: flag({
    group: "External index",
    description: "`true` leaves `rrf` to the engine, where it has a fusion; engines' rank constants differ",
  }),
  VECTORDB_TENANCY: choice(["single", "partition", "field"], "single", {
    group: "External index",
    description:
      "Whose the records are. `single`: all of `VECTORDB_TENANT`. `partition`: each tenant's are in the engine's namespace or tenant of its name. `field`: of whom `VECTORDB_TENANT_FIELD` says",
  }),
  VECTORDB_TENANT: nameOr("primary", {
    group: "External index",
    description: "The one tenant that may search the index, where `VECTORDB_TENANCY` is `single`",
  }),
  VECTORDB_TENANT_FIELD: name({
    group: "External index",
    description: "Field of the payload that names a record's tenant, where `VECTORDB_TENANCY` is `field`",
  }),
  RETRIEVAL_COLLECTION: nameOr("self_rag_documents", {
    group: "External index",
    alias: "PGVECTOR_TABLE",
    description: "Collection, class or table that is searched (`schema.table` for pgvector)",
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
      description: "Collection with the texts that hits are expanded to; `null` turns that off",
    },
  ),
  VECTORDB_CONTENT_FIELD: field("its text"),
  VECTORDB_TITLE_FIELD: field("its title"),
  VECTORDB_DOCUMENT_FIELD: field("the id of its document"),
  VECTORDB_CHUNK_FIELD: field("its name within the document, as citations give it"),
  VECTORDB_PAGE_FIELD: field("its page, from 1"),
  VECTORDB_PARENT_FIELD: field("the id of its parent in `PARENT_EXPANSION_COLLECTION`"),
  VECTORDB_METADATA_FIELD: field("an object with what filters ask for"),
  QDRANT_URL: httpUrlOr("http://localhost:6333", { group: "External index", description: "Qdrant's REST address" }),
  QDRANT_API_KEY: secret({ group: "External index", description: "Key of `QDRANT_URL`" }),
  QDRANT_VECTOR: name({
    group: "External index",
    description: "Which of a collection's dense vectors is searched. Unset: its only one",
  }),
  QDRANT_SPARSE: flag({
    group: "External index",
    description:
      "`true`: collections have the sparse vector `concordance_words`, or are made with it, for a list by words",
  }),
  PINECONE_API_KEY: secret({ group: "External index", description: "Pinecone's key" }),
  PINECONE_INDEX_NAME: name({
    group: "External index",
    description: "Pinecone's index. A collection is a namespace in it, unless `VECTORDB_TENANCY` is `partition`",
  }),
  PINECONE_HOST: name({
    group: "External index",
    description: "Host of `PINECONE_INDEX_NAME`. Unset: asked of the control plane at the first call",
  }),
  PINECONE_SPARSE_INDEX_NAME: name({
    group: "External index",
    description: "Pinecone's index of sparse vectors that Concordance wrote, for a list by words",
  }),
  PINECONE_PARENT_INDEX_NAME: name({
    group: "External index",
    description:
      "Pinecone's index of `PARENT_EXPANSION_COLLECTION`. Unset: `PINECONE_INDEX_NAME`, which isn't enough where `VECTORDB_TENANCY` is `partition`",
  }),
  PINECONE_CONTROLLER_HOST: httpUrlOr("https://api.pinecone.io", {
    group: "External index",
    description: "Pinecone's control plane, which knows the hosts of indexes",
  }),
  WEAVIATE_URL: httpUrlOr("http://localhost:8080", { group: "External index", description: "Weaviate's REST address" }),
  WEAVIATE_API_KEY: secret({ group: "External index", description: "Key of `WEAVIATE_URL`" }),
  WEAVIATE_VECTOR: name({
    group: "External index",
    description: "Which of a class's named vectors is searched. Unset: its only one",
  }),
  CHROMA_URL: httpUrl({
    group: "External index",
    description:
      "A Chroma server (1.0 or newer). Unset: one is started by the command `chroma run` on `CHROMA_PERSIST_DIR`, where that is installed",
  }),
  CHROMA_API_KEY: secret({ group: "External index", description: "Key of `CHROMA_URL`, sent as `x-chroma-token`" }),
  CHROMA_PERSIST_DIR: nameOr("./chroma_data", {
    group: "External index",
    description: "Folder of Chroma's data, where no `CHROMA_URL` is set",
  }),
  PGVECTOR_URL: postgresUrl({
    group: "External index",
    description: "PostgreSQL with the table of vectors; a role that may only read it is enough",
  }),
  PGVECTOR_ID_COLUMN: nameOr("id", { group: "External index", description: "Column with its key, of any type" }),
  PGVECTOR_CONTENT_COLUMN: nameOr("content", { group: "External index", description: "Column with its text" }),
  PGVECTOR_EMBEDDING_COLUMN: nameOr("embedding", {
    group: "External index",
    description: "Column of type `vector` or `halfvec`",
  }),
  PGVECTOR_METADATA_COLUMN: nameOr("metadata", {
    group: "External index",
    description:
      "Column of type `json` or `jsonb` that filters and the mapping read; the table's other columns are read beside it",
  }),
  PGVECTOR_TSVECTOR_COLUMN: name({
    group: "External index",
    description: "Column of type `tsvector`, for a list by words. Unset: words rank what lies near the question alone",
  }),
  PGVECTOR_TEXT_CONFIG: nameOr("english", {
    group: "External index",
    description: "Text search configuration that `PGVECTOR_TSVECTOR_COLUMN` was made with",
  }),
}
