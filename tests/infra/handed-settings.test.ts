import { expect, test } from "vitest"
import { LINKED } from "../../functions/lambda/resources.ts"
import { configurationKeys, type EnvironmentKey } from "../../lib/environment-schema.ts"
import { synthesise } from "./synthesise.ts"

const OF_THE_SERVER = "of the Node server's process"
const OF_ANOTHER_ENGINE = "linked where its engine is the one (docs/external-indexes.md); Qdrant stands here for all"
const SAID_BY_LLM = "a deploy says it by LLM_BASE_URL, LLM_MODEL and the secret LlmApiKey"
const OBJECTS_ARE_AWS = "the bucket is the deploy's own, in its region"

/** Settings of docs/configuration.md that no function of a deploy is handed, and why not. */
const NOT_HANDED: Partial<Record<EnvironmentKey, string>> = {
  ...of(["HOST", "PORT", "SHUTDOWN_DELAY_MS", "SHUTDOWN_GRACE_MS"], OF_THE_SERVER),
  ...of(["CHROMA_API_KEY", "PGVECTOR_URL", "PINECONE_API_KEY", "WEAVIATE_API_KEY"], OF_ANOTHER_ENGINE),
  ...of(
    ["OPENROUTER_API_KEY", "OPENROUTER_MODEL", "USE_VLLM", "VLLM_API_KEY", "VLLM_BASE_URL", "VLLM_MODEL"],
    SAID_BY_LLM,
  ),
  ...of(["OBJECT_STORE_ENDPOINT", "OBJECT_STORE_PATH_STYLE", "OBJECT_STORE_REGION"], OBJECTS_ARE_AWS),
  CHROMA_PERSIST_DIR: "a Lambda keeps no folder",
  CONCORDANCE_HOME: "a Lambda may write to its temporary folder alone, which functions/lambda/resources.ts names",
  CONCORDANCE_SERVE_WITHOUT_KEYS: "a deploy is open to the internet",
  DATA_DIR: "of the command line",
  DATABASE_QUEUE_MAX: "a Lambda has one request at a time",
  INFERENCE_QUEUE_MAX: "the models' Lambda has one request at a time",
  INFERENCE_API_KEY: "of the models' HTTP server; the models' Lambda is called by IAM",
  NSELF_LICENSE_KEY: "nothing reads it",
}

function of(keys: readonly EnvironmentKey[], reason: string) {
  return Object.fromEntries(keys.map((key) => [key, reason]))
}

/** A value that infra/stage.ts takes, of settings that it reads itself. */
const READ_BY_STAGE: Partial<Record<EnvironmentKey, string>> = {
  INFERENCE_PROFILE: "openai",
  CORS_ORIGINS: "https://app.example.org",
  VECTORDB_PROVIDER: "qdrant",
}

test("every setting that docs/configuration.md names is handed to a function, or is no deploy's, with the reason", async () => {
  const keys = configurationKeys().map(({ key }) => key)
  const settings = Object.fromEntries(keys.map((key) => [key, READ_BY_STAGE[key] ?? `the ${key}`]))
  const { resources, handlers } = await synthesise({ stage: "ana", settings })
  const given = resources
    .filter(({ type }) => type === "aws:lambda/function:Function")
    .map(({ inputs }) => (inputs.environment?.variables ?? {}) as Record<string, string>)
  const linked = new Set(handlers.flatMap(({ links }) => Object.keys(links)))
  const isHanded = (key: EnvironmentKey) =>
    given.some((variables) => variables[key] === settings[key]) ||
    (key in LINKED && linked.has(LINKED[key as keyof typeof LINKED][0]))
  const handed = keys.filter(isHanded)
  expect(keys.filter((key) => !handed.includes(key)).sort()).toEqual(Object.keys(NOT_HANDED).sort())
})
