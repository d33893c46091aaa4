import { afterEach, expect, test } from "vitest"
import { type ServiceRequest, startModelService } from "../../tests/model-service.ts"
import { createInferenceService } from "./inference-service.ts"
import { askOpenAiDimensions, createOpenAiEmbedder } from "./openai-embedder.ts"

let service: Awaited<ReturnType<typeof startModelService>>
afterEach(() => service.close())

type Vector = { index: number; embedding: number[] }

/** Vectors that tell which text they belong to: its length stands in the first dimension. */
function answerTo({ body }: ServiceRequest, dimensions = 3): Vector[] {
  return (body["input"] as string[]).map((text, index) => ({
    index,
    embedding: [text.length, 1, ...Array.from({ length: dimensions - 2 }, () => 0)],
  }))
}

async function embedderWith(
  data: (request: ServiceRequest) => unknown,
  options: { model?: string; ownDimensions?: number; maxTokens?: number } = {},
) {
  service = await startModelService((request) => ({ json: { data: data(request) } }))
  const client = createInferenceService({ setting: "EMBEDDING_BASE_URL", baseUrl: service.url })
  return createOpenAiEmbedder({ service: client, model: "some/model", dimensions: 3, ...options })
}

test("requests hold at most 128 texts and 200,000 characters, and vectors come in order at unit length", async () => {
  const embedder = await embedderWith((request) => answerTo(request).reverse())
  const texts = [...Array.from({ length: 300 }, (_, i) => "x".repeat(i + 1)), "y".repeat(20_000)]
  const { vectors } = await embedder.embed(texts, "passage")
  expect(vectors).toHaveLength(301)
  vectors.forEach((vector, i) => {
    expect(Math.hypot(...vector)).toBeCloseTo(1, 6)
    expect((vector[0] as number) / (vector[1] as number)).toBeCloseTo(texts[i]?.length as number, 1)
  })
  const sizes = service.requests.map(({ body }) => body["input"] as string[])
  expect(sizes.every((input) => input.length <= 128 && input.join("").length <= 200_000)).toBe(true)
  expect(sizes.flat()).toEqual(texts)
})

test("dimensions are asked for when the model's own differ, and for an unknown model once they turn out to", async () => {
  const known = await embedderWith((request) => answerTo(request), { ownDimensions: 1536 })
  await known.embed(["a"], "query")
  expect(service.requests).toMatchObject([{ body: { dimensions: 3 } }])
  await service.close()
  const unknown = await embedderWith((request) => answerTo(request, (request.body["dimensions"] as number) ?? 8))
  await unknown.embed(["a"], "query")
  await unknown.embed(["b"], "query")
  expect(service.requests.map(({ body }) => body["dimensions"])).toEqual([undefined, 3, 3])
})

test.each([
  ["a text is left out", (request: ServiceRequest) => answerTo(request).slice(1), /1 of 2 texts/],
  ["an index comes twice", (r: ServiceRequest) => answerTo(r).map((v) => ({ ...v, index: 0 })), /2 of 2|of 2 texts/],
  ["dimensions differ", (request: ServiceRequest) => answerTo(request, 5), /EMBEDDING_DIMENSIONS/],
  ["a vector is zero", (r: ServiceRequest) => answerTo(r).map((v) => ({ ...v, embedding: [0, 0, 0] })), /zero vector/],
  ["a number is none", (r: ServiceRequest) => answerTo(r).map((v) => ({ ...v, embedding: ["1", 2, 3] })), /shape/],
])("an answer in which %s is refused", async (_, data, message) => {
  const embedder = await embedderWith(data)
  await expect(embedder.embed(["a", "bb"], "passage")).rejects.toMatchObject({
    code: "inference_unavailable",
    message: expect.stringMatching(message),
  })
})

test("texts too long by the estimate are cut within it and named, never in the middle of a character", async () => {
  const embedder = await embedderWith((request) => answerTo(request), { maxTokens: 10 })
  const { truncated } = await embedder.embed(["short", "é".repeat(40), "中".repeat(10)], "passage")
  expect(truncated).toEqual([1])
  const sent = service.requests[0]?.body["input"] as string[]
  expect(sent).toEqual(["short", "é".repeat(15), "中".repeat(10)])
  expect(embedder.countTokens("中".repeat(10))).toBe(10)
})

test("a family that wants prefixes gets them, and questions another than passages", async () => {
  const embedder = await embedderWith((request) => answerTo(request), { model: "intfloat/multilingual-e5-large" })
  await embedder.embed(["where"], "query")
  await embedder.embed(["here"], "passage")
  expect(service.requests.map(({ body }) => body["input"])).toEqual([["query: where"], ["passage: here"]])
})

test("a model can be asked how many dimensions it has", async () => {
  await embedderWith((request) => answerTo(request, 7))
  const client = createInferenceService({ setting: "EMBEDDING_BASE_URL", baseUrl: service.url })
  expect(await askOpenAiDimensions(client, "some/model")).toBe(7)
})
