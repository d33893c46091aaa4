import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { testModelHome } from "../../tests/model-home.ts"
import { startModelService } from "../../tests/model-service.ts"
import { buildTinyCrossEncoder } from "../../tests/tiny-cross-encoder.ts"
import { modelSource } from "./model-source.ts"
import { openInference } from "./open-inference.ts"

let home: string
let scratch: string
beforeAll(async () => {
  home = await testModelHome()
  scratch = await mkdtemp(join(tmpdir(), "concordance-inference-"))
})
afterAll(() => rm(scratch, { recursive: true }))

test("the mini profile knows its model at once, and a warm-up runs embedder and reranker", async () => {
  const inference = await openInference({ inferenceProfile: "mini", home })
  expect(inference.embedder).toMatchObject({
    model: "sentence-transformers/all-MiniLM-L6-v2",
    dimensions: 384,
    maxTokens: 512,
  })
  expect(inference.embedder?.countTokens("river sand")).toBe(2)
  const reports = await inference.warm()
  expect(reports.map(({ role, failure }) => [role, failure])).toEqual([
    ["embedder", null],
    ["reranker", null],
  ])
  await inference.close()
})

test("RERANK_MODEL takes the place of late interaction, from a local folder", async () => {
  await buildTinyCrossEncoder(join(scratch, "tiny"), join(home, "models", "all-MiniLM-L6-v2"))
  const rerankModel = join(scratch, "tiny")
  const inference = await openInference({ inferenceProfile: "mini", home, rerankModel })
  expect(inference.reranker?.model).toBe(rerankModel)
  expect(await inference.reranker?.score("sea", ["boats", "mills"])).toHaveLength(2)
  await inference.close()
})

test("a reranker that is opened on use reads no file before it, is left out by the warm-up, and scores the same", async () => {
  const rerankModel = join(scratch, "later")
  const settings = { inferenceProfile: "mini", home, rerankModel } as const
  const inference = await openInference(settings, { rerankerOnUse: true })
  expect((await inference.warm()).map(({ role }) => role)).toEqual(["embedder"])
  await buildTinyCrossEncoder(rerankModel, join(home, "models", "all-MiniLM-L6-v2"))
  const atOnce = await openInference(settings)
  expect(await inference.reranker?.score("sea", ["boats", "mills"])).toEqual(
    await atOnce.reranker?.score("sea", ["boats", "mills"]),
  )
  await Promise.all([inference.close(), atOnce.close()])
})

test("`none` turns a model off", async () => {
  const inference = await openInference({ inferenceProfile: "mini", home, embeddingModel: "none" })
  expect(inference).toMatchObject({ embedder: null, reranker: null })
  expect(await inference.warm()).toEqual([])
})

test("a folder without a model is an error that names it and what it must hold", async () => {
  const settings = { inferenceProfile: "mini", home, embeddingModel: join(scratch, "nothing") } as const
  await expect(openInference(settings)).rejects.toMatchObject({
    code: "inference_unavailable",
    message: expect.stringMatching(/nothing.*config\.json.*onnx/s),
  })
})

test.each([
  ["EMBEDDING_DIMENSIONS", { inferenceProfile: "mini", embeddingDimensions: 512 }],
  ["EMBEDDING_MODEL", { inferenceProfile: "mini", embeddingModel: "not a name" }],
  ["RERANK_MODEL", { inferenceProfile: "mini", rerankModel: "what?" }],
  ["EMBEDDING_API_KEY", { inferenceProfile: "openai" }],
] as const)("a wrong or missing %s is refused by its name", async (field, settings) => {
  await expect(openInference({ home, ...settings })).rejects.toMatchObject({
    code: "invalid_configuration",
    fields: [{ field }],
  })
})

test("the openai profile embeds at its service with its key, and OpenRouter's key goes nowhere else", async () => {
  const service = await startModelService(({ body }) => ({
    json: { data: (body["input"] as string[]).map((_, index) => ({ index, embedding: [3, 4] })) },
  }))
  const settings = { inferenceProfile: "openai", home, embeddingBaseUrl: `${service.url}/v1/` } as const
  const inference = await openInference({ ...settings, embeddingModel: "own", embeddingApiKey: "key-1" })
  expect(inference.embedder).toMatchObject({ model: "own", dimensions: 2 })
  expect(inference.reranker).toBeNull()
  const found = await inference.embedder?.embed(["a"], "query")
  expect([...(found?.vectors[0] ?? [])]).toEqual([Math.fround(0.6), Math.fround(0.8)])
  await openInference({ ...settings, embeddingModel: "own", openrouterApiKey: "key-2" })
  expect(service.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ["/v1/embeddings", "Bearer key-1"],
    ["/v1/embeddings", "Bearer key-1"],
    ["/v1/embeddings", undefined],
  ])
  await service.close()
})

test("a service that is down fails the warm-up, which reports it and does not throw", async () => {
  const service = await startModelService(() => ({ status: 400 }))
  const inference = await openInference({ inferenceProfile: "m3", home, embedServiceUrl: service.url })
  expect(inference.embedder).toMatchObject({ model: "BAAI/bge-m3", dimensions: 1024 })
  const reports = await inference.warm()
  expect(reports.map(({ failure }) => failure?.code)).toEqual(["inference_unavailable", "inference_unavailable"])
  await service.close()
})

test("a model is called as its authors call it, wherever its files come from", () => {
  const of = (model: string) => modelSource(model, "/cache", "EMBEDDING_MODEL")
  expect(of("Xenova/bge-m3")).toMatchObject({ name: "BAAI/bge-m3", location: "Xenova/bge-m3" })
  expect(of("ms-marco-MiniLM-L-12-v2")).toMatchObject({ location: "Xenova/ms-marco-MiniLM-L-12-v2" })
  expect(of("intfloat/e5-small")).toMatchObject({ name: "intfloat/e5-small", location: "intfloat/e5-small" })
  expect(of("./mine").location).toBe(join(process.cwd(), "mine"))
})
