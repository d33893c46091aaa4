import * as z from "zod"
import { answerKeys } from "./answer-keys.ts"
import {
  choice,
  decimal,
  flag,
  httpUrl,
  type KeyFacts,
  key,
  keyFacts,
  name,
  optionalWhole,
  postgresUrl,
  secret,
  whole,
} from "./environment-keys.ts"
import { AppError } from "./errors.ts"
import { indexKeys } from "./index-keys.ts"
import { languageModelKeys } from "./language-model-keys.ts"
import { Strategy } from "./shapes.ts"

/** The environment as an operator writes it, every key with its meaning. */
export const Environment = z.object({
  DATABASE_URL: postgresUrl({
    group: "Database",
    alias: "NSELF_DB_URL",
    description:
      "PostgreSQL 15 or newer with pgvector, as the role `concordance_login`. Unset: the embedded database under `CONCORDANCE_HOME`",
  }),
  MIGRATION_DATABASE_URL: postgresUrl({
    group: "Database",
    description:
      "The same database as its owner, for migrations, keys and index builds. Unset: `DATABASE_URL` does all of it, and the start says so",
  }),
  CONCORDANCE_HOME: key(z.string().max(1_000).default(".concordance"), {
    group: "Database",
    values: "the path of a folder",
    fallback: ".concordance",
    description: "Where the embedded database, stored files and the converted models live; made when missing",
  }),
  OBJECT_STORE_BUCKET: key(
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
      .optional(),
    {
      group: "Storage",
      values: "the name of a bucket",
      description:
        "S3 bucket for uploads and pictures, with the credentials that AWS's SDK finds (role, profile, `AWS_ACCESS_KEY_ID`). Unset: files under `CONCORDANCE_HOME/objects`",
    },
  ),
  OBJECT_STORE_ENDPOINT: httpUrl({
    group: "Storage",
    description: "Where a store that speaks S3 but isn't Amazon's answers (MinIO, R2, Ceph)",
  }),
  OBJECT_STORE_REGION: key(
    z
      .string()
      .regex(/^[a-z0-9-]{1,50}$/)
      .optional(),
    {
      group: "Storage",
      values: "a region like eu-central-1",
      description: "Region of the bucket. Unset: `AWS_REGION` or the profile's; with an endpoint `us-east-1`",
    },
  ),
  OBJECT_STORE_PATH_STYLE: key(
    z
      .enum(["true", "false"])
      .transform((value) => value === "true")
      .optional(),
    {
      group: "Storage",
      values: "true or false",
      description:
        "Whether the bucket's name stands in the URL's path in place of its host. Unset: `true` with an endpoint, else `false`",
    },
  ),
  DATA_DIR: key(z.string().max(1_000).default("data"), {
    group: "Documents",
    values: "the path of a folder",
    fallback: "data",
    description: "What `concordance ingest` reads when it is given no file or folder",
  }),
  DOCUMENT_BYTES_MAX: whole(1_000, 999_999_999, 200_000_000, {
    group: "Documents",
    description: "Largest file that is taken in, bytes",
  }),
  DOCUMENT_PAGES_MAX: whole(1, 100_000, 5_000, {
    group: "Documents",
    description: "Most pages of a file that is taken in",
  }),
  INGEST_CONCURRENCY: whole(1, 64, 2, {
    group: "Documents",
    description: "Pages read at once, each in a thread of its own, all files together",
  }),
  HOST: key(
    z
      .string()
      .max(255)
      .regex(/^[\w.:-]+$/)
      .default("127.0.0.1"),
    {
      group: "Server",
      values: "a host name or IP address without a port",
      fallback: "127.0.0.1",
      description: "Address to listen on. Any but a loopback one needs an API key, or `CONCORDANCE_SERVE_WITHOUT_KEYS`",
    },
  ),
  PORT: whole(0, 65_535, 3825, {
    group: "Server",
    alias: "NSELF_RETRIEVAL_PORT",
    description: "Port to listen on; 0 takes a free one and prints it",
  }),
  CONCORDANCE_SERVE_WITHOUT_KEYS: flag({
    group: "Server",
    description: "`true` lets everyone who can reach the port read, write and delete the rows of every tenant",
  }),
  LOG_LEVEL: choice(["debug", "info", "warn", "error"], "info", {
    group: "Server",
    description: "Least serious log line that is written; `debug` adds a line a request",
  }),
  CHUNK_SIZE: optionalWhole(100, 16_000, {
    group: "Documents",
    description: "Characters of a chunk. Unset: about 256 tokens of the embedding model",
  }),
  CHUNK_OVERLAP: optionalWhole(0, 8_000, {
    group: "Documents",
    description:
      "Characters with which a chunk repeats the end of the one before; at most half of `CHUNK_SIZE`, without which it has no effect. Unset: none",
  }),
  PARENT_CHUNK_SIZE: optionalWhole(100, 32_000, {
    group: "Documents",
    description:
      "Characters of a parent chunk, at least `CHUNK_SIZE`. Unset: about 1,024 tokens, or four times `CHUNK_SIZE` where that is set",
  }),
  SEARCH_STRATEGY: choice(Strategy.options as ["rrf", "weighted", "semantic", "lexical", "two_pass"], "rrf", {
    group: "Search",
    description: "How `/search` fuses its two lists when the request names no `strategy`",
  }),
  SEARCH_DENSE_CANDIDATES: whole(10, 1_000, 100, {
    group: "Search",
    description: "Chunks that the list by meaning brings to the fusion",
  }),
  SEARCH_LEXICAL_CANDIDATES: whole(10, 1_000, 100, {
    group: "Search",
    description: "Chunks that the list by words brings to the fusion",
  }),
  RERANK_CANDIDATES: whole(2, 200, 50, {
    group: "Search",
    description: "Fused hits that the reranker reads when a request asks for `rerank`",
  }),
  RETRIEVAL_K_INITIAL: whole(1, 200, 20, {
    group: "Search",
    description: "Passages that `concordance search --funnel` takes from the search",
  }),
  RETRIEVAL_K_MMR: whole(1, 200, 15, {
    group: "Search",
    description: "Passages of those that its diversification keeps",
  }),
  RETRIEVAL_K_RERANK: whole(1, 200, 4, { group: "Search", description: "Passages of those that its reranking keeps" }),
  RETRIEVAL_LAMBDA: decimal(0, 1, "0.8", {
    group: "Search",
    description: "Share of relevance in maximal marginal relevance; what is left is for variety",
  }),
  INFERENCE_PROFILE: choice(["mini", "m3", "openai"], "mini", {
    group: "Models",
    description:
      "`mini`: all-MiniLM-L6-v2 in process, offline. `m3`: BGE-M3 and BGE-Reranker-v2-M3. `openai`: any OpenAI-compatible endpoint",
  }),
  EMBEDDING_MODEL: name({
    group: "Models",
    description:
      "Embedding model in place of the profile's: a Hugging Face name, a local folder (`./…`, `/…`), the endpoint's name for it, or `none` to search by words alone",
  }),
  EMBEDDING_BASE_URL: httpUrl({
    group: "Models",
    description:
      "OpenAI-compatible endpoint of the `openai` profile, up to and with `/v1`. Unset: OpenRouter when only its key is set, else api.openai.com",
  }),
  EMBEDDING_API_KEY: secret({ group: "Models", description: "Key of `EMBEDDING_BASE_URL`" }),
  EMBEDDING_DIMENSIONS: optionalWhole(1, 4_000, {
    group: "Models",
    description: "Length of the model's vectors; needed for a model behind a service that Concordance does not know",
  }),
  OPENROUTER_API_KEY: secret({
    group: "Models",
    description:
      "Key of openrouter.ai, for the `openai` profile and for a language model there: set for one, it opens both, so that questions are answered by `OPENROUTER_MODEL`, at its price",
  }),
  EMBED_SERVICE_URL: httpUrl({
    group: "Models",
    description:
      "A service in the shape of Hugging Face TEI that reranks and, unless the profile is `openai`, embeds, in place of the models in process",
  }),
  EMBED_SERVICE_API_KEY: secret({ group: "Models", description: "Key of `EMBED_SERVICE_URL`, if it wants one" }),
  INFERENCE_API_KEY: secret({
    group: "Models",
    description:
      "Key that callers of `concordance inference serve` must send. Unset: it listens on a loopback address alone",
  }),
  RERANK_MODEL: name({
    group: "Models",
    description: "Cross-encoder in place of the profile's reranker: a Hugging Face name, a local folder, or `none`",
  }),
  ...languageModelKeys,
  ...answerKeys,
  ...indexKeys,
  SEARCH_TIMEOUT_MS: whole(50, 600_000, 10_000, {
    group: "Timeouts",
    description: "Longest a search may take, ms; then 504",
  }),
  INDEX_TIMEOUT_MS: whole(1_000, 3_600_000, 300_000, {
    group: "Timeouts",
    description: "Longest that indexing one request, or one group of lines of a batch, may take, ms",
  }),
  EMBED_TIMEOUT_MS: whole(10, 600_000, 3_000, {
    group: "Timeouts",
    description: "Longest a search waits for the query's vector, ms; then it answers by words alone and says so",
  }),
  RERANK_TIMEOUT_MS: whole(10, 600_000, 3_000, {
    group: "Timeouts",
    description: "Longest a search waits for the reranker, ms; then it keeps the fused order and says so",
  }),
  NSELF_LICENSE_KEY: key(z.string().optional(), {
    group: "Ignored",
    values: "anything",
    description: "The retrieval plugin wanted one; accepted and never read",
  }),
})

/** Every key with what there is to say about it, in the order of the documentation. */
export function configurationKeys(): readonly ({ readonly key: string } & KeyFacts)[] {
  return Object.entries(Environment.shape).map(([key, schema]) => {
    const facts = keyFacts.get(schema)
    if (!facts) throw new AppError("internal", `${key} has no facts`)
    return { key, ...facts }
  })
}
