import type * as z from "zod"
import { configurationKeys, Environment } from "./environment-schema.ts"
import { AppError, type FieldProblem } from "./errors.ts"

type Camel<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Tail>>}`
  : Lowercase<Key>

type Parsed = z.output<typeof Environment>

/** The settings of one process: each key of the environment in camel case, `DATABASE_URL` as `databaseUrl`. */
export type Config = { readonly [Key in keyof Parsed as Camel<Key>]: Parsed[Key] }

/** The environment's record, as `process.env` has it. */
export type EnvironmentRecord = Readonly<Record<string, string | undefined>>

/**
 * Reads the settings from an environment. An empty or blank value counts as unset. Throws `invalid_configuration`,
 * which names every wrong key and what it must be, and repeats no value: one of them may be a secret.
 */
export function parseConfig(environment: EnvironmentRecord): Config {
  const given: Record<string, string> = {}
  for (const { key, alias } of configurationKeys()) {
    const value = environment[key]?.trim() || (alias && environment[alias]?.trim())
    if (value) given[key] = value
  }
  const parsed = Environment.safeParse(given)
  const problems = parsed.success ? contradictions(parsed.data) : parsed.error.issues.map(({ path }) => problem(path))
  if (problems.length > 0 || !parsed.success) {
    const lines = problems.map(({ field, message }) => `  ${field} ${message}`)
    throw new AppError("invalid_configuration", `These settings are wrong:\n${lines.join("\n")}`, { fields: problems })
  }
  const entries = Object.entries(parsed.data).map(([key, value]) => [camelCase(key), value])
  return Object.freeze(Object.fromEntries(entries) as Config)
}

function problem(path: readonly PropertyKey[]): FieldProblem {
  const facts = configurationKeys().find(({ key }) => key === path[0])
  return { field: String(path[0]), message: `must be ${facts?.values}` }
}

function contradictions(settings: Parsed): FieldProblem[] {
  const problems: FieldProblem[] = []
  const { RETRIEVAL_K_INITIAL: initial, RETRIEVAL_K_MMR: mmr, RETRIEVAL_K_RERANK: rerank } = settings
  if (mmr > initial) {
    problems.push({ field: "RETRIEVAL_K_MMR", message: `must be at most RETRIEVAL_K_INITIAL, which is ${initial}` })
  }
  if (rerank > mmr) {
    problems.push({ field: "RETRIEVAL_K_RERANK", message: `must be at most RETRIEVAL_K_MMR, which is ${mmr}` })
  }
  if (settings.MIGRATION_DATABASE_URL && !settings.DATABASE_URL) {
    problems.push({ field: "DATABASE_URL", message: "must be set where MIGRATION_DATABASE_URL is" })
  }
  const { OBJECT_STORE_BUCKET, OBJECT_STORE_ENDPOINT, OBJECT_STORE_REGION, OBJECT_STORE_PATH_STYLE } = settings
  if (!OBJECT_STORE_BUCKET && (OBJECT_STORE_ENDPOINT || OBJECT_STORE_REGION || OBJECT_STORE_PATH_STYLE !== undefined)) {
    problems.push({ field: "OBJECT_STORE_BUCKET", message: "must be set where another OBJECT_STORE_ key is" })
  }
  const { CHUNK_SIZE: child = Infinity, CHUNK_OVERLAP: overlap = 0, PARENT_CHUNK_SIZE: parent = Infinity } = settings
  if (child < Infinity && overlap > child / 2) {
    problems.push({ field: "CHUNK_OVERLAP", message: `must be at most half of CHUNK_SIZE, which is ${child}` })
  }
  if (child < Infinity && parent < child) {
    problems.push({ field: "PARENT_CHUNK_SIZE", message: `must be at least CHUNK_SIZE, which is ${child}` })
  }
  if (settings.EMBED_SERVICE_API_KEY && !settings.EMBED_SERVICE_URL) {
    problems.push({ field: "EMBED_SERVICE_URL", message: "must be set where EMBED_SERVICE_API_KEY is" })
  }
  const { EMBEDDING_BASE_URL, EMBEDDING_API_KEY, OPENROUTER_API_KEY } = settings
  if (settings.INFERENCE_PROFILE === "openai" && !EMBEDDING_BASE_URL && !EMBEDDING_API_KEY && !OPENROUTER_API_KEY) {
    const message = "must be set for INFERENCE_PROFILE=openai, or OPENROUTER_API_KEY, or EMBEDDING_BASE_URL"
    problems.push({ field: "EMBEDDING_API_KEY", message })
  }
  return [...problems, ...llmContradictions(settings), ...indexContradictions(settings)]
}

function llmContradictions(settings: Parsed): FieldProblem[] {
  const { USE_VLLM, LLM_BASE_URL, LLM_MODEL, OPENROUTER_API_KEY, ENRICH_DOCUMENTS } = settings
  const problems: FieldProblem[] = []
  if (USE_VLLM && LLM_BASE_URL)
    problems.push({ field: "LLM_BASE_URL", message: "must not be set where USE_VLLM is true" })
  if (LLM_BASE_URL && !LLM_MODEL) problems.push({ field: "LLM_MODEL", message: "must be set where LLM_BASE_URL is" })
  if (ENRICH_DOCUMENTS && !USE_VLLM && !LLM_BASE_URL && !OPENROUTER_API_KEY) {
    const message = "needs a language model: set USE_VLLM=true, LLM_BASE_URL or OPENROUTER_API_KEY, or leave it unset"
    problems.push({ field: "ENRICH_DOCUMENTS", message })
  }
  return problems
}

function indexContradictions(settings: Parsed): FieldProblem[] {
  const { VECTORDB_PROVIDER: provider, VECTORDB_TENANCY, VECTORDB_TENANT_FIELD } = settings
  if (provider === "concordance") return []
  const problems: FieldProblem[] = []
  const required = { pinecone: ["PINECONE_API_KEY", "PINECONE_INDEX_NAME"], pgvector: ["PGVECTOR_URL"] } as const
  for (const field of provider in required ? required[provider as keyof typeof required] : []) {
    if (!settings[field]) problems.push({ field, message: `must be set where VECTORDB_PROVIDER is ${provider}` })
  }
  if (VECTORDB_TENANCY === "field" && !VECTORDB_TENANT_FIELD)
    problems.push({ field: "VECTORDB_TENANT_FIELD", message: "must be set where VECTORDB_TENANCY is field" })
  return problems
}

function camelCase(key: string): string {
  return key.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}
