import { beforeAll, expect, test } from "vitest"
import { apiRoutes } from "../../infra/routes.ts"
import { indexKeys } from "../../lib/index-keys.ts"
import { statementsOf, tooMuch } from "./policies.ts"
import type { Synthesis } from "./synthesis.ts"
import { synthesise } from "./synthesise.ts"

let synthesis: Synthesis
beforeAll(async () => {
  synthesis = await synthesise({
    stage: "production",
    settings: {
      NEON_API_KEY: "neon",
      INFERENCE_PROFILE: "openai",
      EMBEDDING_MODEL: "text-embedding-3-small",
      SEARCH_PROVISIONED: "2",
      STREAMS_MAX: "3",
      DATABASE_CA_FILE: "/var/runtime/ca-cert.pem",
      INGEST_WORKERS: "7",
      INGEST_RESERVED: "true",
      CONCORDANCE_DOMAIN: "archive.example.org",
    },
  })
})

function inputs(type: string, name: string) {
  const found = synthesis.resources.find((resource) => resource.type === type && resource.name === name)
  if (!found) throw new Error(`There is no ${type} ${name}`)
  return found.inputs
}

test("with NEON_API_KEY the database is a Neon project, which production keeps, behind its pooler", () => {
  const project = synthesis.resources.find(({ type }) => type === "neon:index/project:Project")
  expect(project).toMatchObject({
    retain: true,
    protect: true,
    inputs: {
      name: "concordance-production",
      regionId: "aws-eu-central-1",
      pgVersion: 17,
      historyRetentionSeconds: 604_800,
    },
  })
  const linked = synthesis.handlers.find(({ functionName }) => functionName === "Search")?.links["Database"]?.["url"]
  expect(linked).toMatch(
    /^postgres:\/\/concordance_login:p{40}@ep-mock-1-pooler\.eu-central-1\.aws\.neon\.tech\/concordance\?sslmode=require$/,
  )
})

test("the openai profile makes no container, and hands the endpoint's key to whoever embeds", () => {
  expect(synthesis.resources.filter(({ type }) => /^aws:ecr|^docker-build/.test(type))).toEqual([])
  const holders = synthesis.handlers
    .filter(({ links }) => "EmbeddingApiKey" in links)
    .map(({ functionName }) => functionName)
  expect(holders.sort()).toEqual(["Answer", "Health", "Index", "Ingest", "Mcp", "Models", "Search"])
  // A figure of the container's reranker, which isn't there.
  expect(inputs("aws:lambda/function:Function", "SearchFunction").environment.variables).not.toHaveProperty(
    "RERANK_CANDIDATES",
  )
  // The others would miss the key that the profile needs, and refuse to start.
  const functions = synthesis.resources.filter(({ type }) => type === "aws:lambda/function:Function")
  const profiled = functions.filter(({ inputs: { environment } }) => environment?.variables?.INFERENCE_PROFILE)
  expect(profiled.map(({ name }) => name.replace(/Function$/, "")).sort()).toEqual(holders.sort())
  expect(inputs("aws:lambda/function:Function", "SearchFunction").environment.variables).toMatchObject({
    INFERENCE_PROFILE: "openai",
    EMBEDDING_MODEL: "text-embedding-3-small",
  })
})

test("a service of one's own takes the container's place: whoever calls models is handed its key, and its address", async () => {
  const service = await synthesise({
    stage: "ana",
    settings: { EMBED_SERVICE_URL: "https://models.example.org", EMBEDDING_MODEL: "intfloat/multilingual-e5-small" },
  })
  expect(
    service.resources.filter(({ type, name }) => /^aws:ecr|^docker-build/.test(type) || name === "Inference"),
  ).toEqual([])
  const linked = service.handlers.filter(({ links }) => "EmbedServiceApiKey" in links)
  expect(linked.map(({ functionName }) => functionName).sort()).toEqual([
    "Answer",
    "Health",
    "Index",
    "Ingest",
    "Mcp",
    "Models",
    "Search",
  ])
  const search = service.resources.find(({ name }) => name === "SearchFunction")?.inputs.environment.variables
  expect(search).toMatchObject({
    INFERENCE_PROFILE: "m3",
    EMBED_SERVICE_URL: "https://models.example.org",
    EMBEDDING_MODEL: "intfloat/multilingual-e5-small",
  })
})

test("provisioned searches are those that the API calls", () => {
  expect(inputs("aws:lambda/provisionedConcurrencyConfig:ProvisionedConcurrencyConfig", "SearchWarm")).toMatchObject({
    qualifier: "live",
    provisionedConcurrentExecutions: 2,
  })
  const called = synthesis.resources
    .filter(({ type }) => type === "aws:apigatewayv2/integration:Integration")
    .map(({ inputs }) => inputs.integrationUri as string)
    .filter((uri) => uri.includes("SearchFunction"))
  const live = expect.stringMatching(/SearchFunction:live$/)
  expect(called).toEqual(apiRoutes.search.map(() => live))
})

test("ingestion is bounded where it is polled, and reserved where that is asked", () => {
  expect(inputs("aws:lambda/function:Function", "IngestFunction").reservedConcurrentExecutions).toBe(7)
  const mapping = synthesis.resources.find(({ type }) => type === "aws:lambda/eventSourceMapping:EventSourceMapping")
  expect(mapping?.inputs.scalingConfig).toEqual({ maximumConcurrency: 7 })
})

test("Function URLs, which no throttle bounds, can be; nothing else is reserved", () => {
  const reserved = synthesis.resources
    .filter(({ type, inputs }) => type === "aws:lambda/function:Function" && inputs.reservedConcurrentExecutions > 0)
    .map(({ name, inputs }) => `${name} ${inputs.reservedConcurrentExecutions}`)
  expect(reserved.sort()).toEqual(["AnswerFunction 3", "IngestFunction 7", "McpFunction 3"])
})

test("whoever speaks to the database knows the authority of its certificate", () => {
  const speaking = synthesis.handlers.filter(({ links }) => "Database" in links)
  expect(speaking.length).toBeGreaterThan(8)
  for (const { functionName } of speaking) {
    expect(inputs("aws:lambda/function:Function", `${functionName}Function`).environment.variables).toMatchObject({
      NODE_EXTRA_CA_CERTS: "/var/runtime/ca-cert.pem",
    })
  }
})

test("a domain gets its certificate, and the bucket takes files from its pages", () => {
  const distribution = synthesis.resources.find(({ type }) => type === "aws:cloudfront/distribution:Distribution")
  expect(distribution?.inputs.aliases).toEqual(["archive.example.org"])
  expect(
    inputs("aws:s3/bucketCorsConfiguration:BucketCorsConfiguration", "ObjectsCors").corsRules[0].allowedOrigins,
  ).toEqual(["https://archive.example.org"])
})

test("no setting widens a policy", () => {
  expect(tooMuch(synthesis)).toEqual([])
})

test("loaded instances of the models are those that callers name and may invoke, and their number is bounded", async () => {
  const warm = await synthesise({
    stage: "ana",
    settings: { INFERENCE_PROVISIONED: "1", INFERENCE_MAX: "3", RERANK_CANDIDATES: "20", EMBEDDING_MODEL: "none" },
  })
  const named = (name: string) => warm.resources.find((resource) => resource.name === name)?.inputs
  expect(named("Inference")).toMatchObject({ publish: true, reservedConcurrentExecutions: 3 })
  expect(named("InferenceWarm")).toMatchObject({ qualifier: "live", provisionedConcurrentExecutions: 1 })
  const linked = warm.handlers.find(({ functionName }) => functionName === "Search")?.links["Inference"]
  expect(linked).toMatchObject({ functionName: "Inference:live" })
  const invoked = statementsOf(warm).filter(({ statement }) => String(statement.Action) === "lambda:InvokeFunction")
  expect(new Set(invoked.map(({ statement }) => String(statement.Resource)))).toEqual(
    new Set(["arn:aws:lambda:eu-central-1:123456789012:function:Inference:live"]),
  )
  expect(named("SearchFunction").environment.variables).toMatchObject({ RERANK_CANDIDATES: "20" })
})

test("a model that the container doesn't run ends the deploy, which says what to do", async () => {
  const settings = { INFERENCE_PROFILE: "mini", EMBEDDING_MODEL: "intfloat/multilingual-e5-small" }
  await expect(synthesise({ stage: "ana", settings })).rejects.toThrow(
    /EMBEDDING_MODEL can't be set with INFERENCE_PROFILE=mini.*unset it.*EMBED_SERVICE_URL/,
  )
})

test("a setting that is none ends the deploy and is named", async () => {
  await expect(
    synthesise({ stage: "ana", settings: { INFERENCE_PROVISIONED: "2", INFERENCE_MAX: "1" } }),
  ).rejects.toThrow("INFERENCE_PROVISIONED must be at most INFERENCE_MAX")
  await expect(synthesise({ stage: "ana", settings: { INGEST_WORKERS: "1" } })).rejects.toThrow(
    "INGEST_WORKERS must be a whole number from 2 to 1000",
  )
})

test("somebody else's index: whoever searches is handed its key and every setting there is, and nobody else any", async () => {
  // Secrets are linked, and no folder is kept on a Lambda.
  const elsewhere = /_API_KEY$|^PGVECTOR_URL$|^CHROMA_PERSIST_DIR$/
  const keys = [...Object.keys(indexKeys), "PGVECTOR_TABLE"].filter((key) => !elsewhere.test(key))
  const settings = { ...Object.fromEntries(keys.map((key) => [key, `the ${key}`])), VECTORDB_PROVIDER: "qdrant" }
  const foreign = await synthesise({ stage: "ana", settings })
  const linked = foreign.handlers.filter(({ links }) => "QdrantApiKey" in links)
  const searching = ["Answer", "Documents", "Health", "Mcp", "Search"]
  expect(linked.map(({ functionName }) => functionName).sort()).toEqual(searching)
  for (const { name, inputs } of foreign.resources.filter(({ type }) => type === "aws:lambda/function:Function")) {
    const given = inputs.environment?.variables ?? {}
    const handed = Object.fromEntries(keys.filter((key) => key in given).map((key) => [key, given[key]]))
    expect(handed, name).toEqual(searching.includes(name.replace(/Function$/, "")) ? settings : {})
  }
})

test("an index that a Lambda could not find ends the deploy, which names the setting", async () => {
  await expect(synthesise({ stage: "ana", settings: { VECTORDB_PROVIDER: "chroma" } })).rejects.toThrow(
    /CHROMA_URL must be set where VECTORDB_PROVIDER is chroma.*CHROMA_PERSIST_DIR can't be used/,
  )
  await expect(synthesise({ stage: "ana", settings: { VECTORDB_PROVIDER: "weaviate" } })).rejects.toThrow(
    "WEAVIATE_URL must be set",
  )
  await expect(synthesise({ stage: "ana", settings: { VECTORDB_PROVIDER: "qdrnt" } })).rejects.toThrow(
    "VECTORDB_PROVIDER must be one of concordance, qdrant, pinecone, weaviate, chroma, pgvector",
  )
})
