import * as z from "zod/mini"
import { answerKeys } from "./answer-keys.ts"
import {
  choice,
  decimal,
  flag,
  hosts,
  httpUrl,
  isTrue,
  type KeyFacts,
  key,
  keyFacts,
  name,
  optionalWhole,
  origins,
  postgresUrl,
  secret,
  whole,
} from "./environment-keys.ts"
import { AppError } from "./errors.ts"
import { indexKeys } from "./index-keys.ts"
import { languageModelKeys } from "./language-model-keys.ts"
import { limitKeys } from "./limit-keys.ts"
import { STRATEGIES } from "./strategies.ts"

/** The environment as an operator writes it, every key with its meaning. */
export const Environment = z.object({
  DATABASE_URL: postgresUrl({
    group: "Database",
    alias: "NSELF_DB_URL",
  }),
  MIGRATION_DATABASE_URL: postgresUrl({
    group: "Database",
  }),
  CONCORDANCE_HOME: key(z._default(z.string().check(z.maxLength(1_000)), ".concordance"), {
    group: "Database",
    values: "the path of a folder",
    fallback: ".concordance",
  }),
  OBJECT_STORE_BUCKET: key(z.optional(z.string().check(z.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/))), {
    group: "Storage",
    values: "the name of a bucket",
  }),
  OBJECT_STORE_ENDPOINT: httpUrl({
    group: "Storage",
  }),
  OBJECT_STORE_REGION: key(z.optional(z.string().check(z.regex(/^[a-z0-9-]{1,50}$/))), {
    group: "Storage",
    values: "a region like eu-central-1",
  }),
  OBJECT_STORE_PATH_STYLE: key(z.optional(z.pipe(z.enum(["true", "false"]), isTrue())), {
    group: "Storage",
    values: "true or false",
  }),
  DATA_DIR: key(z._default(z.string().check(z.maxLength(1_000)), "data"), {
    group: "Documents",
    values: "the path of a folder",
    fallback: "data",
  }),
  DOCUMENT_BYTES_MAX: whole(1_000, 999_999_999, 200_000_000, {
    group: "Documents",
  }),
  RETENTION_DAYS: optionalWhole(1, 36_500, {
    group: "Documents",
  }),
  DOCUMENT_PAGES_MAX: whole(1, 100_000, 5_000, {
    group: "Documents",
  }),
  INGEST_CONCURRENCY: whole(1, 64, 2, {
    group: "Documents",
  }),
  HOST: key(z._default(z.string().check(z.maxLength(255), z.regex(/^[\w.:-]+$/)), "127.0.0.1"), {
    group: "Server",
    values: "a host name or IP address without a port",
    fallback: "127.0.0.1",
  }),
  PORT: whole(0, 65_535, 3825, {
    group: "Server",
    alias: "NSELF_RETRIEVAL_PORT",
  }),
  SHUTDOWN_DELAY_MS: whole(0, 300_000, 0, {
    group: "Server",
  }),
  SHUTDOWN_GRACE_MS: whole(0, 3_600_000, 10_000, {
    group: "Server",
  }),
  CONCORDANCE_SERVE_WITHOUT_KEYS: flag({
    group: "Server",
  }),
  TRUSTED_PROXIES: whole(0, 10, 0, {
    group: "Server",
  }),
  CORS_ORIGINS: origins({
    group: "Server",
  }),
  WEBHOOK_HOSTS: hosts({
    group: "Server",
  }),
  SERVE_API_DOCS: flag(
    {
      group: "Server",
    },
    "true",
  ),
  LOG_LEVEL: choice(["debug", "info", "warn", "error"], "info", {
    group: "Server",
  }),
  CHUNK_SIZE: optionalWhole(100, 16_000, {
    group: "Documents",
  }),
  CHUNK_OVERLAP: optionalWhole(0, 8_000, {
    group: "Documents",
  }),
  PARENT_CHUNK_SIZE: optionalWhole(100, 32_000, {
    group: "Documents",
  }),
  SEARCH_STRATEGY: choice(STRATEGIES, "rrf", {
    group: "Search",
  }),
  SEARCH_DENSE_CANDIDATES: whole(10, 1_000, 100, {
    group: "Search",
  }),
  SEARCH_LEXICAL_CANDIDATES: whole(10, 1_000, 100, {
    group: "Search",
  }),
  RERANK_CANDIDATES: whole(2, 200, 15, {
    group: "Search",
  }),
  RETRIEVAL_K_INITIAL: whole(1, 200, 20, {
    group: "Search",
  }),
  RETRIEVAL_K_MMR: whole(1, 200, 15, {
    group: "Search",
  }),
  RETRIEVAL_K_RERANK: whole(1, 200, 4, { group: "Search" }),
  RETRIEVAL_LAMBDA: decimal(0, 1, "0.8", {
    group: "Search",
  }),
  INFERENCE_PROFILE: choice(["mini", "m3", "openai"], "mini", {
    group: "Models",
  }),
  EMBEDDING_MODEL: name({
    group: "Models",
  }),
  EMBEDDING_BASE_URL: httpUrl({
    group: "Models",
  }),
  EMBEDDING_API_KEY: secret({ group: "Models" }),
  EMBEDDING_DIMENSIONS: optionalWhole(1, 4_000, {
    group: "Models",
  }),
  OPENROUTER_API_KEY: secret({
    group: "Models",
  }),
  EMBED_SERVICE_URL: httpUrl({
    group: "Models",
  }),
  EMBED_SERVICE_API_KEY: secret({ group: "Models" }),
  SPACES_API_KEY: secret({ group: "Models" }),
  INFERENCE_API_KEY: secret({
    group: "Models",
  }),
  RERANK_MODEL: name({
    group: "Models",
  }),
  ...languageModelKeys,
  ...answerKeys,
  ...indexKeys,
  ...limitKeys,
  SEARCH_TIMEOUT_MS: whole(50, 600_000, 10_000, {
    group: "Timeouts",
  }),
  INDEX_TIMEOUT_MS: whole(1_000, 3_600_000, 300_000, {
    group: "Timeouts",
  }),
  EMBED_TIMEOUT_MS: whole(10, 600_000, 3_000, {
    group: "Timeouts",
  }),
  RERANK_TIMEOUT_MS: whole(10, 600_000, 3_000, {
    group: "Timeouts",
  }),
  NSELF_LICENSE_KEY: key(z.optional(z.string()), {
    group: "Ignored",
    values: "anything",
  }),
})

/** Name of a key. */
export type EnvironmentKey = keyof z.output<typeof Environment>

/** Every key with what there is to say about it, in the order of the documentation. */
export function configurationKeys(): readonly ({ readonly key: EnvironmentKey } & KeyFacts)[] {
  return Object.entries(Environment.shape).map(([key, schema]) => {
    const facts = keyFacts.get(schema)
    if (!facts) throw new AppError("internal", `${key} has no facts`)
    return { key: key as EnvironmentKey, ...facts }
  })
}
