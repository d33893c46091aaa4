import { afterEach, expect, test } from "vitest"
import { type ServiceRequest, startModelService } from "../../tests/model-service.ts"
import { createInferenceService } from "./inference-service.ts"
import { askTeiDimensions, createTeiEmbedder } from "./tei-embedder.ts"
import { createTeiReranker } from "./tei-reranker.ts"

let service: Awaited<ReturnType<typeof startModelService>>
afterEach(() => service.close())

async function clientOf(answer: (request: ServiceRequest) => unknown) {
  service = await startModelService((request) => ({ json: answer(request) }))
  return createInferenceService({ setting: "EMBED_SERVICE_URL", baseUrl: service.url })
}

const vectorsFor = ({ body }: ServiceRequest) => (body["inputs"] as string[]).map((text) => [text.length, 1])

test("texts are embedded 32 a request, normalised, in order", async () => {
  const embedder = createTeiEmbedder({ service: await clientOf(vectorsFor), model: "m", dimensions: 2 })
  const texts = Array.from({ length: 70 }, (_, i) => "x".repeat(i + 1))
  const { vectors } = await embedder.embed(texts, "passage")
  expect(vectors.map((v) => Math.round((v[0] as number) / (v[1] as number)))).toEqual(texts.map((t) => t.length))
  expect(service.requests.map(({ path, body }) => [path, (body["inputs"] as string[]).length])).toEqual([
    ["/embed", 32],
    ["/embed", 32],
    ["/embed", 6],
  ])
  expect(service.requests[0]?.body).toMatchObject({ normalize: true, truncate: true })
})

test.each([
  ["too few vectors", () => [[1, 2]], /1 vectors/],
  ["vectors of other dimensions", () => [[1], [2]], /EMBEDDING_DIMENSIONS/],
  ["something else", () => ({ error: "overloaded" }), /another shape/],
])("an answer of %s is refused", async (_, answer, message) => {
  const embedder = createTeiEmbedder({ service: await clientOf(answer), model: "m", dimensions: 2 })
  await expect(embedder.embed(["a", "b"], "passage")).rejects.toMatchObject({
    code: "inference_unavailable",
    message: expect.stringMatching(message),
  })
})

test("the service's model can be asked how many dimensions it has", async () => {
  expect(await askTeiDimensions(await clientOf(vectorsFor))).toBe(2)
})

test("scores come back in the order of the passages, though the service sorts them, over several requests", async () => {
  const client = await clientOf(({ body }) =>
    (body["texts"] as string[])
      .map((text, index) => ({ index, score: -text.length }))
      .sort((a, b) => b.score - a.score),
  )
  const passages = Array.from({ length: 40 }, (_, i) => "x".repeat(((i * 7) % 40) + 1))
  const scores = await createTeiReranker({ service: client, model: "m" }).score("q", passages)
  expect(scores).toEqual(passages.map((p) => -p.length))
  expect(service.requests.map(({ path, body }) => [path, body["query"]])).toEqual([
    ["/rerank", "q"],
    ["/rerank", "q"],
  ])
})

test("a passage without a score is an error, not a zero", async () => {
  const client = await clientOf(() => [{ index: 1, score: 0.5 }])
  await expect(createTeiReranker({ service: client, model: "m" }).score("q", ["a", "b"])).rejects.toMatchObject({
    code: "inference_unavailable",
    message: expect.stringContaining("1 of 2"),
  })
})
