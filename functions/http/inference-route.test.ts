import { describe, expect, test } from "vitest"
import type { Embedder, Reranker, TextKind } from "../../lib/inference/inference.ts"
import { Problem } from "./problem.ts"
import { createTestApp } from "./test-app.ts"

/** Embeds a text as its length, and reads ten characters. */
function models() {
  const kinds: TextKind[] = []
  const embedder: Embedder = {
    model: "someone/lengths",
    dimensions: 2,
    maxTokens: 10,
    countTokens: (text) => text.length,
    embed: async (texts, kind) => {
      kinds.push(kind)
      return {
        vectors: texts.map((text) => Float32Array.of(text.length, 0.5)),
        truncated: texts.flatMap((text, index) => (text.length > 10 ? [index] : [])),
        tokens: texts.join("").length,
      }
    },
  }
  const reranker: Reranker = { model: "r", score: async (_, passages) => passages.map((text) => text.length - 2) }
  return { embedder, reranker, kinds }
}

describe("POST /embed", () => {
  test("takes one text or many, and answers a vector each", async () => {
    const { embedder, kinds } = models()
    const { post } = createTestApp({ embedder })
    expect(await (await post("/embed", { inputs: "abc" })).json()).toEqual([[3, 0.5]])
    expect(await (await post("/embed", { inputs: ["a", "ab"], prompt_name: "query" })).json()).toEqual([
      [1, 0.5],
      [2, 0.5],
    ])
    expect(kinds).toEqual(["passage", "query"])
  })

  test("a text that is too long is refused, or cut and named: never cut in silence", async () => {
    const { post } = createTestApp(models())
    const refused = await post("/embed", { inputs: ["a", "much too long"] })
    expect(refused.status).toBe(400)
    expect(Problem.parse(await refused.json()).errors?.[0]?.field).toBe("inputs.1")
    const cut = await post("/embed", { inputs: ["a", "much too long"], truncate: true })
    expect(cut.headers.get("x-truncated-inputs")).toBe("1")
  })

  test("without a model it is a 503 that says so", async () => {
    const { post } = createTestApp()
    const response = await post("/embed", { inputs: "a" })
    expect(response.status).toBe(503)
    expect(Problem.parse(await response.json()).code).toBe("inference_unavailable")
  })
})

describe("POST /rerank", () => {
  test("sorts by score from 0 to 1, or by the model's own", async () => {
    const { post } = createTestApp(models())
    const body = { query: "q", texts: ["a", "abcd", "ab"] }
    expect(await (await post("/rerank", { ...body, raw_scores: true, return_text: true })).json()).toEqual([
      { index: 1, score: 2, text: "abcd" },
      { index: 2, score: 0, text: "ab" },
      { index: 0, score: -1, text: "a" },
    ])
    const scores = (await (await post("/rerank", body)).json()) as { score: number }[]
    expect(scores.map(({ score }) => Number(score.toFixed(3)))).toEqual([0.881, 0.5, 0.269])
  })
})

describe("POST /v1/embeddings", () => {
  test("answers in OpenAI's shape", async () => {
    const { post } = createTestApp(models())
    expect(await (await post("/v1/embeddings", { input: ["a", "ab"], model: "lengths" })).json()).toEqual({
      object: "list",
      model: "someone/lengths",
      data: [
        { object: "embedding", index: 0, embedding: [1, 0.5] },
        { object: "embedding", index: 1, embedding: [2, 0.5] },
      ],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    })
  })

  test("base64 holds the same numbers as little-endian 32-bit floats", async () => {
    const { post } = createTestApp(models())
    const response = await post("/v1/embeddings", { input: "abc", encoding_format: "base64" })
    const { data } = (await response.json()) as { data: { embedding: string }[] }
    const bytes = Buffer.from(data[0]?.embedding ?? "", "base64")
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([3, 0.5])
  })

  test("another model, or other dimensions, are refused by name", async () => {
    const { post } = createTestApp(models())
    const model = await post("/v1/embeddings", { input: "a", model: "text-embedding-3-small" })
    expect(Problem.parse(await model.json()).errors?.[0]?.field).toBe("model")
    const dimensions = await post("/v1/embeddings", { input: "a", dimensions: 256 })
    expect(Problem.parse(await dimensions.json()).errors?.[0]?.field).toBe("dimensions")
  })
})
