import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { mixedTexts } from "../../bench/mixed-texts.ts"
import { testModelHome } from "../../tests/model-home.ts"
import { buildTinyCrossEncoder } from "../../tests/tiny-cross-encoder.ts"
import { createCrossEncoderReranker } from "./cross-encoder-reranker.ts"
import { type OnnxModel, openOnnxModel } from "./onnx-model.ts"
import { createWorkQueue } from "./work-queue.ts"

let folder: string
const opened: OnnxModel[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "concordance-cross-encoder-"))
})
afterAll(async () => {
  await Promise.all(opened.map((model) => model.close()))
  await rm(folder, { recursive: true })
})

async function rerankerWith(labels: number) {
  const location = join(folder, `labels-${labels}`)
  await buildTinyCrossEncoder(location, join(await testModelHome(), "models", "all-MiniLM-L6-v2"), labels)
  const model = await openOnnxModel({ name: "tiny", location, cacheFolder: folder }, { task: "classify" })
  opened.push(model)
  return { model, reranker: createCrossEncoderReranker({ model, queue: createWorkQueue() }) }
}

test("a pair scores the same alone as sorted and padded among others, in the order of the passages", async () => {
  const { reranker } = await rerankerWith(1)
  const passages = [...mixedTexts(20), "", "short"]
  const together = await reranker.score("which river carries sand", passages)
  expect(new Set(together.map((score) => score.toFixed(6))).size).toBeGreaterThan(15)
  for (const [i, passage] of passages.entries()) {
    const [alone] = await reranker.score("which river carries sand", [passage])
    expect(together[i]).toBeCloseTo(alone as number, 4)
  }
})

test("the query and the passage are read as two segments: swapping them changes the score", async () => {
  const { reranker } = await rerankerWith(1)
  const [forward] = await reranker.score("old stone mills", ["gulls circle above wet roofs"])
  const [backward] = await reranker.score("gulls circle above wet roofs", ["old stone mills"])
  expect(Math.abs((forward as number) - (backward as number))).toBeGreaterThan(1e-4)
})

test("of two labels the score is how far the second is above the first", async () => {
  const { model, reranker } = await rerankerWith(2)
  const { data } = await model.run([model.tokenizer.pair("sea")("boats wait")])
  const [score] = await reranker.score("sea", ["boats wait"])
  expect(score).toBeCloseTo((data[1] as number) - (data[0] as number), 6)
})

test("a model of three labels is no reranker, and the error says what to set", async () => {
  const { reranker } = await rerankerWith(3)
  await expect(reranker.score("sea", ["boats"])).rejects.toMatchObject({
    code: "inference_unavailable",
    message: expect.stringContaining("RERANK_MODEL"),
  })
})

test("an abort stops between two batches with the signal's reason", async () => {
  const { reranker } = await rerankerWith(1)
  await reranker.score("sea", ["warm"])
  const abort = new AbortController()
  const work = reranker.score("sea", mixedTexts(200), { signal: abort.signal })
  setImmediate(() => setImmediate(() => abort.abort(new Error("deadline"))))
  await expect(work).rejects.toThrow("deadline")
})
