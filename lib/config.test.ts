import { describe, expect, test } from "vitest"
import { parseConfig } from "./config.ts"
import { AppError } from "./errors.ts"

function refusal(environment: Record<string, string>): AppError {
  try {
    parseConfig(environment)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error("the configuration was accepted")
}

describe("parseConfig", () => {
  test("an empty environment gives the documented defaults, frozen", () => {
    const config = parseConfig({})
    expect(config).toMatchObject({
      host: "127.0.0.1",
      port: 3825,
      concordanceHome: ".concordance",
      concordanceServeWithoutKeys: false,
      inferenceProfile: "mini",
      searchStrategy: "rrf",
      retrievalKInitial: 20,
      retrievalKMmr: 15,
      retrievalKRerank: 4,
      retrievalLambda: 0.8,
    })
    expect(config.databaseUrl).toBeUndefined()
    expect(Object.isFrozen(config)).toBe(true)
  })

  test("the plugin's names are read, and our own win over them", () => {
    expect(parseConfig({ NSELF_DB_URL: "postgres://a@b/c", NSELF_RETRIEVAL_PORT: "4000" })).toMatchObject({
      databaseUrl: "postgres://a@b/c",
      port: 4000,
    })
    expect(parseConfig({ PORT: "5000", NSELF_RETRIEVAL_PORT: "4000" }).port).toBe(5000)
  })

  test("empty and blank values count as unset", () => {
    expect(parseConfig({ PORT: "", HOST: "  ", DATABASE_URL: "" })).toEqual(parseConfig({}))
  })

  test("a licence key is accepted, whatever it is", () => {
    expect(() => parseConfig({ NSELF_LICENSE_KEY: "expired" })).not.toThrow()
  })

  test.each([
    ["PORT", "http"],
    ["PORT", "70000"],
    ["PORT", "0x10"],
    ["PORT", "-1"],
    ["PORT", "1e3"],
    ["HOST", "http://localhost"],
    ["DATABASE_URL", "mysql://a@b/c"],
    ["DATABASE_URL", "not a url"],
    ["INFERENCE_PROFILE", "maxi"],
    ["SEARCH_STRATEGY", "RRF"],
    ["RETRIEVAL_LAMBDA", "1.1"],
    ["RETRIEVAL_LAMBDA", "NaN"],
    ["RETRIEVAL_K_MMR", "21"],
    ["RETRIEVAL_K_RERANK", "16"],
    ["EMBEDDING_BASE_URL", "ftp://x"],
    ["EMBEDDING_DIMENSIONS", "4001"],
    ["SEARCH_TIMEOUT_MS", "1.5"],
    ["CONCORDANCE_SERVE_WITHOUT_KEYS", "yes"],
    ["LOG_LEVEL", "loud"],
    ["OBJECT_STORE_BUCKET", "My_Bucket"],
    ["OBJECT_STORE_ENDPOINT", "minio:9000"],
    ["OBJECT_STORE_PATH_STYLE", "1"],
  ])("%s=%s stops the start and names the key", (key, value) => {
    const error = refusal({ [key]: value })
    expect(error.code).toBe("invalid_configuration")
    expect(error.fields.map(({ field }) => field)).toEqual([key])
    expect(error.message).toMatch(new RegExp(`${key} must be `))
  })

  test("sizes of chunks are refused where they contradict each other", () => {
    expect(refusal({ CHUNK_SIZE: "500", CHUNK_OVERLAP: "251" }).fields.map(({ field }) => field)).toEqual([
      "CHUNK_OVERLAP",
    ])
    expect(refusal({ CHUNK_SIZE: "500", PARENT_CHUNK_SIZE: "499" }).fields.map(({ field }) => field)).toEqual([
      "PARENT_CHUNK_SIZE",
    ])
    const sizes = { CHUNK_SIZE: "500", CHUNK_OVERLAP: "250", PARENT_CHUNK_SIZE: "500" }
    expect(parseConfig(sizes)).toMatchObject({ chunkSize: 500, chunkOverlap: 250, parentChunkSize: 500 })
    expect(parseConfig({}).chunkSize).toBeUndefined()
  })

  test("every wrong key is named at once, and no value is repeated", () => {
    const error = refusal({ PORT: "s3cret-a", DATABASE_URL: "s3cret-b", LOG_LEVEL: "s3cret-c" })
    expect(error.fields.map(({ field }) => field).sort()).toEqual(["DATABASE_URL", "LOG_LEVEL", "PORT"])
    expect(error.message).not.toContain("s3cret")
  })

  test("settings that need each other are checked together", () => {
    expect(refusal({ MIGRATION_DATABASE_URL: "postgres://o@b/c" }).fields[0]?.field).toBe("DATABASE_URL")
    for (const setting of [{ OBJECT_STORE_REGION: "eu-west-1" }, { OBJECT_STORE_PATH_STYLE: "false" }]) {
      expect(refusal(setting).fields[0]?.field).toBe("OBJECT_STORE_BUCKET")
      expect(() => parseConfig({ ...setting, OBJECT_STORE_BUCKET: "archive" })).not.toThrow()
    }
    expect(refusal({ INFERENCE_PROFILE: "openai" }).fields[0]?.field).toBe("EMBEDDING_API_KEY")
    for (const key of ["EMBEDDING_API_KEY", "OPENROUTER_API_KEY"]) {
      expect(() => parseConfig({ INFERENCE_PROFILE: "openai", [key]: "k" })).not.toThrow()
    }
    expect(() => parseConfig({ INFERENCE_PROFILE: "openai", EMBEDDING_BASE_URL: "http://local/v1" })).not.toThrow()
  })

  test("documents are enriched only where it is said so, and only with a language model", () => {
    expect(parseConfig({ USE_VLLM: "true", OPENROUTER_API_KEY: "k" }).enrichDocuments).toBe(false)
    expect(refusal({ ENRICH_DOCUMENTS: "true" }).fields[0]?.field).toBe("ENRICH_DOCUMENTS")
    const url = "http://local/v1"
    expect(refusal({ LLM_BASE_URL: url }).fields[0]?.field).toBe("LLM_MODEL")
    expect(refusal({ USE_VLLM: "true", LLM_BASE_URL: url, LLM_MODEL: "m" }).fields[0]?.field).toBe("LLM_BASE_URL")
    for (const model of [{ USE_VLLM: "true" }, { LLM_BASE_URL: url, LLM_MODEL: "m" }, { OPENROUTER_API_KEY: "k" }]) {
      expect(parseConfig({ ...model, ENRICH_DOCUMENTS: "true" }).enrichDocuments).toBe(true)
    }
    expect(parseConfig({ CHAT_MODEL: "other/model" }).openrouterModel).toBe("other/model")
  })
})

test("WEBHOOK_HOSTS takes hosts and what is under one, and nothing that would be everybody", () => {
  const { webhookHosts } = parseConfig({ WEBHOOK_HOSTS: "hooks.example.org, *.example.net,localhost,10.1.2.3,[::1]" })
  expect(webhookHosts).toEqual(["hooks.example.org", "*.example.net", "localhost", "10.1.2.3", "[::1]"])
  expect(parseConfig({}).webhookHosts).toEqual([])
  for (const value of ["*", "*.", "*.org", "a.*.org", "*.*.org", "https://a.org", "a.org:8443", "A.org", "a.org/x"]) {
    expect(() => parseConfig({ WEBHOOK_HOSTS: value }), value).toThrow(/WEBHOOK_HOSTS must be hosts/)
  }
})
