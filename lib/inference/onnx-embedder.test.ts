import { join } from "node:path"
import { env } from "@xenova/transformers"
import { afterAll, beforeAll, expect, test } from "vitest"
import { mixedTexts } from "../../bench/mixed-texts.ts"
import { testModelHome } from "../../tests/model-home.ts"
import type { Embedder } from "./inference.ts"
import { createOnnxEmbedder } from "./onnx-embedder.ts"
import { type OnnxModel, openOnnxModel } from "./onnx-model.ts"
import { createWorkQueue } from "./work-queue.ts"

let model: OnnxModel
let single: OnnxModel
let embedder: Embedder
const fetched: string[] = []
const realFetch = env.fetch

beforeAll(async () => {
  env.fetch = (url) => {
    fetched.push(String(url))
    return Promise.reject(new Error("offline"))
  }
  const models = join(await testModelHome(), "models")
  const name = "sentence-transformers/all-MiniLM-L6-v2"
  const source = { name, location: join(models, "all-MiniLM-L6-v2"), cacheFolder: models }
  model = await openOnnxModel(source, { task: "encode" })
  single = await openOnnxModel(source, { task: "encode", precision: "single" })
  embedder = createOnnxEmbedder({ model, queue: createWorkQueue() })
})
afterAll(async () => {
  env.fetch = realFetch
  await Promise.all([model.close(), single.close()])
})

const dot = (a: Float32Array | undefined, b: Float32Array | undefined) =>
  Array.from(a ?? []).reduce((sum, x, i) => sum + x * (b?.[i] ?? Number.NaN), 0)

const SENTENCES = [
  "How do bees find their way home?",
  "Honeybees navigate by the sun and by landmarks near the hive.",
  "The central bank raised interest rates by half a point.",
  "As abelhas orientam-se pelo sol.",
  "",
  "naïve café — “quotes”, 中文, emoji 🐝 and [SEP] inside",
]

test("vectors have unit length, stand in the order of their texts, and bring likes together", async () => {
  const { vectors, truncated, tokens } = await embedder.embed(SENTENCES, "passage")
  expect(vectors.map((v) => v.length)).toEqual(SENTENCES.map(() => 384))
  for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 5)
  expect(truncated).toEqual([])
  expect(tokens).toBeGreaterThan(SENTENCES.length * 2)
  const [question, bees, bank] = vectors
  expect(dot(question, bees)).toBeGreaterThan(0.5)
  expect(dot(question, bank)).toBeLessThan(0.2)
})

test("int8 keeps the direction of single precision: mean cosine at least .995", async () => {
  const texts = [...SENTENCES.slice(0, 4), ...mixedTexts(20)]
  const exact = createOnnxEmbedder({ model: single, queue: createWorkQueue() })
  const [quantized, reference] = [await embedder.embed(texts, "passage"), await exact.embed(texts, "passage")]
  const cosines = texts.map((_, i) => dot(quantized.vectors[i], reference.vectors[i]))
  expect(cosines.reduce((sum, c) => sum + c, 0) / cosines.length).toBeGreaterThanOrEqual(0.995)
})

test.each(["int8", "single"])("%s gives a text the same vector in any company", async (precision) => {
  const exact = createOnnxEmbedder({ model: precision === "int8" ? model : single, queue: createWorkQueue() })
  const texts = mixedTexts(12)
  const together = await exact.embed(texts, "passage")
  for (const [i, text] of texts.entries()) {
    const alone = await exact.embed([text], "passage")
    expect(dot(alone.vectors[0], together.vectors[i])).toBeGreaterThan(0.9999)
  }
})

test("a question has the same vector to the last bit, alone or among others", async () => {
  const [question = ""] = SENTENCES
  const alone = await embedder.embed([question], "query")
  const among = await embedder.embed([...mixedTexts(3), question], "query")
  expect(among.vectors[3]).toEqual(alone.vectors[0])
})

test("texts over 512 tokens are named by index, and their tails change nothing", async () => {
  const long = "river sand mill ".repeat(200)
  const found = await embedder.embed(["short", long, `${long} and something else`], "query")
  expect(found.truncated).toEqual([1, 2])
  expect(found.tokens).toBe(3 + 512 + 512)
  expect(found.vectors[1]).toEqual(found.vectors[2])
  expect(embedder.maxTokens).toBe(512)
  expect(embedder.countTokens(long)).toBe(600)
})

test("no texts give no vectors", async () => {
  expect(await embedder.embed([], "passage")).toEqual({ vectors: [], truncated: [], tokens: 0 })
})

test("a question does not wait for the passages that are being embedded", async () => {
  const passages = embedder.embed(mixedTexts(64), "passage").then(() => "passages")
  const question = embedder.embed(["a question"], "query").then(() => "question")
  expect(await Promise.race([passages, question])).toBe("question")
  await passages
})

test("an abort stops between two batches with the signal's reason", async () => {
  const abort = new AbortController()
  const work = embedder.embed(mixedTexts(64), "passage", { signal: abort.signal })
  setImmediate(() => setImmediate(() => abort.abort(new Error("caller went away"))))
  await expect(work).rejects.toThrow("caller went away")
  await expect(embedder.embed(["x"], "query", { signal: abort.signal })).rejects.toThrow("caller went away")
})

test("a model in a folder is loaded and run without asking the network for anything", () => {
  expect(fetched).toEqual([])
})
