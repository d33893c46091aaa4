import { expect, test } from "vitest"
import { AppError } from "../../lib/errors.ts"
import type { Embedder, Reranker } from "../../lib/inference/inference.ts"
import { createLog } from "../../lib/log.ts"
import { createInferenceHandler } from "./inference-handler.ts"

const DIMENSIONS = 2048

const embedder: Embedder = {
  model: "someone/lengths",
  dimensions: DIMENSIONS,
  maxTokens: 10,
  countTokens: (text) => text.length,
  embed: async (texts, _kind, { signal } = {}) => {
    signal?.throwIfAborted()
    if (texts[0] === "hang")
      await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
    const vectors = texts.map((text) => new Float32Array(DIMENSIONS).fill(1 / (text.length * 3)))
    return { vectors, truncated: texts.flatMap(({ length }, i) => (length > 10 ? [i] : [])), tokens: 1 }
  },
}
const reranker: Reranker = { model: "r", score: async (_, passages) => passages.map((text) => text.length) }

type Opened = Parameters<typeof createInferenceHandler>[0]["openModels"]

function lambda(openModels: Opened = async () => ({ embedder, reranker }), leftMs = 30_000) {
  const lines: string[] = []
  const log = createLog({ level: "error", write: (line) => lines.push(line) })
  const { handler } = createInferenceHandler({ openModels, timeoutMs: 300_000, log })
  const context = { awsRequestId: "request-1", getRemainingTimeInMillis: () => leftMs }
  return { invoke: (event: unknown) => handler(event, context), lines }
}

test("a call is answered as over HTTP, with its status, and needs no key", async () => {
  const { invoke } = lambda()
  const { status, body } = await invoke({ path: "/embed", body: { inputs: ["abc", "a"], truncate: true } })
  expect(status).toBe(200)
  expect((body as number[][]).map((vector) => [vector.length, vector[0]])).toEqual([
    [DIMENSIONS, Math.fround(1 / 9)],
    [DIMENSIONS, Math.fround(1 / 3)],
  ])
  expect(await invoke({ path: "/rerank", body: { query: "q", texts: ["a", "abc"], raw_scores: true } })).toEqual({
    status: 200,
    body: [
      { index: 1, score: 3 },
      { index: 0, score: 1 },
    ],
  })
  expect(await invoke({ path: "/health" })).toEqual({ status: 200, body: { status: "ok" } })
})

test.each([
  ["nothing", undefined, 400],
  ["an event of API Gateway", { rawPath: "/embed", body: "{}" }, 400],
  ["a path elsewhere", { path: "//example.org/embed", body: {} }, 400],
  ["another path", { path: "/search", body: {} }, 404],
  ["a wrong body", { path: "/embed", body: { inputs: [] } }, 400],
  ["no body where one is needed", { path: "/embed" }, 405],
])("%s is a problem with its status and the invocation's id, not a crash", async (_, event, status) => {
  const answer = await lambda().invoke(event)
  expect(answer).toMatchObject({ status, body: { status, request_id: "request-1" } })
})

test("an answer that Lambda would drop is a 413 that says how much it takes; half of it is sent", async () => {
  const { invoke } = lambda()
  const inputs = (count: number) => ({ path: "/embed", body: { inputs: Array.from({ length: count }, () => "abc") } })
  expect(await invoke(inputs(128))).toMatchObject({ status: 200 })
  expect(await invoke(inputs(256))).toMatchObject({
    status: 413,
    body: { code: "payload_too_large", detail: expect.stringMatching(/more than the 6290000 that Lambda takes/) },
  })
})

test("a call is given up before the Lambda is, with what is left of its time to say so", async () => {
  const began = performance.now()
  const { status, body } = await lambda(undefined, 700).invoke({ path: "/embed", body: { inputs: "hang" } })
  expect({ status, body }).toMatchObject({ status: 504, body: { code: "deadline_exceeded" } })
  expect(performance.now() - began).toBeLessThan(650)
})

test("models that can't be opened are a 503 with the reason, logged, and opened again by the next call", async () => {
  let count = 0
  const { invoke, lines } = lambda(async () => {
    if (count++ < 2) throw new AppError("inference_unavailable", "The model is not there")
    return { embedder, reranker }
  })
  const call = { path: "/embed", body: { inputs: "private words", truncate: true } }
  await new Promise((resolve) => setTimeout(resolve, 1))
  expect(await invoke(call)).toMatchObject({ status: 503, body: { detail: "The model is not there" } })
  expect(lines.join("")).toContain("request-1")
  expect(lines.join("")).not.toContain("private words")
  expect((await invoke(call)).status).toBe(200)
})
