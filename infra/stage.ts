/** Settings of a deploy, from the environment of whoever runs `sst deploy` (docs/deploy.md lists them). */
export const stage = {
  /** Kept and protected; every other stage is somebody's own and goes with `sst remove`. */
  isProduction: $app.stage === "production",
  /** `archive.example.org`, in a hosted zone of the same account. Unset: CloudFront's own name. */
  domain: setting("CONCORDANCE_DOMAIN"),
  /** Where alarms are sent; AWS asks it to confirm. */
  alarmEmail: setting("ALARM_EMAIL"),
  inferenceProfile: choice("INFERENCE_PROFILE", ["m3", "mini", "openai"]),
  /** A service of one's own runs the models in place of the container; with the profile `openai` it reranks alone. */
  usesEmbedService: setting("EMBED_SERVICE_URL") !== undefined,
  /** Searches that find a warm Lambda at any time; each costs money by the hour. 0: none. */
  searchProvisioned: whole("SEARCH_PROVISIONED", 0, 0, 1_000),
  /** Instances of the models' Lambda that are always loaded; each costs money by the hour. 0: none. */
  inferenceProvisioned: whole("INFERENCE_PROVISIONED", 0, 0, 1_000),
  /** Most instances of it at once, taken out of the account's concurrency. While one loads, each further search starts another. */
  inferenceMax: optionalWhole("INFERENCE_MAX", 1, 1_000),
  /** Most requests at once to each Function URL, which no throttle of the API bounds; out of the account's concurrency. */
  streamsMax: optionalWhole("STREAMS_MAX", 1, 1_000),
  /** Ingest Lambdas at once. It bounds the database's connections; SQS has no limit under 2. */
  ingestWorkers: whole("INGEST_WORKERS", 4, 2, 1_000),
  /** Also takes that many out of the account's concurrency, for ingestion alone. A new account has none to spare. */
  reserveIngest: setting("INGEST_RESERVED") === "true",
  /** Any other value than the last one gives `concordance_login` a new password. */
  databasePasswordRound: setting("DATABASE_PASSWORD_ROUND") ?? "1",
  /** Whose pages may put a file to a presigned URL, besides the reading room; the handlers read the same list. */
  corsOrigins: originList("CORS_ORIGINS"),
  logDays: 30,
  neonOrganisation: setting("NEON_ORG_ID"),
  neonRegion: setting("NEON_REGION") ?? "aws-eu-central-1",
  usesNeonProvider: setting("NEON_API_KEY") !== undefined,
  /** Whose vectors are searched; `concordance`: those in the database. */
  vectordbProvider: choice("VECTORDB_PROVIDER", [
    "concordance",
    "qdrant",
    "pinecone",
    "weaviate",
    "chroma",
    "pgvector",
  ]),
}

/** Node's name for a file of more certificate authorities; on the deployer's own machine it means another file. */
const certificates = setting("DATABASE_CA_FILE")

/**
 * OpenTelemetry's variables, for every function. Not OTEL_EXPORTER_OTLP_HEADERS, which holds a key: send to a collector of your
 * own that adds it (docs/operations.md).
 */
export const telemetryEnvironment: Record<string, string> = settings([
  ...["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"],
  ...["OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"],
])

/** Settings that the handlers read by the same names as the Node server does (docs/configuration.md). None is a secret. */
export const handlerEnvironment: Record<string, string> = {
  ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }),
  ...telemetryEnvironment,
  ...settings([
    ...["EMBEDDING_MODEL", "EMBEDDING_BASE_URL", "EMBEDDING_DIMENSIONS", "EMBED_SERVICE_URL", "RERANK_MODEL"],
    ...["LLM_BASE_URL", "LLM_MODEL", "LLM_TEMPERATURE", "LLM_TIMEOUT_MS", "LLM_MAX_TOKENS"],
    ...["MAX_RETRIES", "RELEVANCE_GRADER", "RELEVANCE_SCORE_MIN", "ANSWER_CONCURRENCY", "ANSWER_TIMEOUT_MS"],
    ...["ANSWER_TOKENS_MAX", "ANSWER_TOKENS_PER_DAY", "RETRIEVAL_K_INITIAL", "RETRIEVAL_K_MMR", "RETRIEVAL_K_RERANK"],
    ...["ENRICH_DOCUMENTS", "ENRICH_TOKENS_MAX", "INGEST_CONCURRENCY", "RETRIEVAL_LAMBDA"],
    ...["CHUNK_SIZE", "CHUNK_OVERLAP", "PARENT_CHUNK_SIZE"],
    ...["DOCUMENT_BYTES_MAX", "DOCUMENT_PAGES_MAX", "RETENTION_DAYS", "SEARCH_TIMEOUT_MS", "INDEX_TIMEOUT_MS"],
    ...["EMBED_TIMEOUT_MS", "RERANK_TIMEOUT_MS", "RERANK_CANDIDATES", "SEARCH_STRATEGY", "LOG_LEVEL"],
    ...["SEARCH_DENSE_CANDIDATES", "SEARCH_LEXICAL_CANDIDATES", "DATABASE_TIMEOUT_MS"],
    ...["CORS_ORIGINS", "SERVE_API_DOCS", "TRUSTED_PROXIES", "WEBHOOK_HOSTS"],
    ...["RATE_PER_KEY", "RATE_PER_TENANT", "SEARCHES_PER_TENANT_MAX", "INFERENCE_TOKENS_PER_DAY"],
  ]),
}

requireModelOfOurs()
if (stage.inferenceProvisioned > (stage.inferenceMax ?? Infinity)) {
  throw new Error("INFERENCE_PROVISIONED must be at most INFERENCE_MAX")
}

/** What the container's reranker of `m3` reads in 2.3 s of the 3 s of RERANK_TIMEOUT_MS, 0.14 s each: docs/cost.md. */
const M3_RERANK_CANDIDATES = "16"

/** Only of functions that the models are linked to: the others would miss what the profile needs. */
export const modelsEnvironment: Record<string, string> = {
  INFERENCE_PROFILE: stage.inferenceProfile,
  ...(stage.inferenceProfile === "m3" &&
    !stage.usesEmbedService &&
    setting("RERANK_CANDIDATES") === undefined && { RERANK_CANDIDATES: M3_RERANK_CANDIDATES }),
}

/** Only of functions that search: the others would miss the key that the engine needs, and refuse to start. */
export const indexEnvironment: Record<string, string> =
  stage.vectordbProvider === "concordance"
    ? {}
    : settings([
        ...["VECTORDB_PROVIDER", "VECTORDB_HYBRID_STRATEGY", "VECTORDB_NATIVE_HYBRID", "VECTORDB_TENANCY"],
        ...["VECTORDB_TENANT", "VECTORDB_TENANT_FIELD", "RETRIEVAL_COLLECTION", "PGVECTOR_TABLE"],
        ...["PARENT_EXPANSION_COLLECTION", "VECTORDB_CONTENT_FIELD", "VECTORDB_TITLE_FIELD", "VECTORDB_DOCUMENT_FIELD"],
        ...["VECTORDB_CHUNK_FIELD", "VECTORDB_PAGE_FIELD", "VECTORDB_PARENT_FIELD", "VECTORDB_METADATA_FIELD"],
        ...["QDRANT_URL", "QDRANT_VECTOR", "QDRANT_SPARSE", "PINECONE_INDEX_NAME", "PINECONE_HOST"],
        ...["PINECONE_SPARSE_INDEX_NAME", "PINECONE_PARENT_INDEX_NAME", "PINECONE_CONTROLLER_HOST"],
        ...["WEAVIATE_URL", "WEAVIATE_VECTOR", "CHROMA_URL", "PGVECTOR_ID_COLUMN", "PGVECTOR_CONTENT_COLUMN"],
        ...[
          "PGVECTOR_EMBEDDING_COLUMN",
          "PGVECTOR_METADATA_COLUMN",
          "PGVECTOR_TSVECTOR_COLUMN",
          "PGVECTOR_TEXT_CONFIG",
        ],
      ])

requireReachableIndex()

/** What an engine can't be found without from a Lambda, where `localhost` is nobody and no folder is kept. */
function requireReachableIndex(): void {
  const needed = {
    qdrant: "QDRANT_URL",
    weaviate: "WEAVIATE_URL",
    chroma: "CHROMA_URL",
    pinecone: "PINECONE_INDEX_NAME",
  }
  const provider = stage.vectordbProvider
  const key = provider in needed ? needed[provider as keyof typeof needed] : undefined
  if (key === undefined || setting(key) !== undefined) return
  const why = provider === "chroma" ? ": a Lambda keeps no folder, so CHROMA_PERSIST_DIR can't be used there" : ""
  throw new Error(`${key} must be set where VECTORDB_PROVIDER is ${provider}${why}`)
}

/** The container runs what its profile says: vectors of it under another model's name would never be comparable again. */
function requireModelOfOurs(): void {
  const model = setting("EMBEDDING_MODEL")
  if (stage.inferenceProfile === "openai" || stage.usesEmbedService || model === undefined || model === "none") return
  throw new Error(
    `EMBEDDING_MODEL can't be set with INFERENCE_PROFILE=${stage.inferenceProfile}, whose container runs a model of its own: ` +
      "unset it, set it to none for search by words alone, or set EMBED_SERVICE_URL or INFERENCE_PROFILE=openai to use " +
      "what runs elsewhere",
  )
}

/** Those of the keys that are set. */
function settings(keys: readonly string[]): Record<string, string> {
  const entries = keys.map((key) => [key, setting(key)] as const)
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

function setting(key: string): string | undefined {
  return process.env[key] || undefined
}

function originList(key: string): string[] {
  const given = (setting(key) ?? "").split(",").map((each) => each.trim())
  const origins = given.filter((each) => each !== "")
  const isOrigin = (text: string) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
  if (origins.every(isOrigin)) return origins
  throw new Error(`${key} must be origins like https://app.example.org, with commas between`)
}

function whole(key: string, fallback: number, min: number, max: number): number {
  const value = Number(setting(key) ?? fallback)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new Error(`${key} must be a whole number from ${min} to ${max}`)
}

function optionalWhole(key: string, min: number, max: number): number | undefined {
  return setting(key) === undefined ? undefined : whole(key, min, min, max)
}

function choice<Value extends string>(key: string, values: readonly [Value, ...Value[]]): Value {
  const given = setting(key) ?? values[0]
  const found = values.find((value) => value === given)
  if (found === undefined) throw new Error(`${key} must be one of ${values.join(", ")}`)
  return found
}
