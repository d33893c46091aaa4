import { expect, test } from "vitest"
import { createCachedEmbedder } from "./cached-embedder.ts"
import type { Embedder } from "./inference.ts"

function countingEmbedder() {
  const asked: string[] = []
  const embedder: Embedder = {
    model: "m",
    dimensions: 1,
    maxTokens: 8,
    countTokens: (text) => text.length,
    async embed(texts) {
      asked.push(...texts)
      if (texts.includes("broken")) throw new Error("broken")
      return { vectors: texts.map(() => Float32Array.of(1)), truncated: [], tokens: 1 }
    },
  }
  return { asked, embedder }
}

test("a question asked again is not embedded again, until others have pushed it out", async () => {
  const { asked, embedder } = countingEmbedder()
  const cached = createCachedEmbedder(embedder, 2)
  const first = await cached.embed(["a"], "query")
  expect(await cached.embed(["a"], "query")).toBe(first)
  expect(asked).toEqual(["a"])
  await cached.embed(["b"], "query")
  await cached.embed(["c"], "query")
  await cached.embed(["a"], "query")
  expect(asked).toEqual(["a", "b", "c", "a"])
})

test("passages and lists are embedded every time: a passage may be prefixed otherwise than the same question", async () => {
  const { asked, embedder } = countingEmbedder()
  const cached = createCachedEmbedder(embedder)
  await cached.embed(["a"], "query")
  await cached.embed(["a"], "passage")
  await cached.embed(["a", "a"], "query")
  expect(asked).toEqual(["a", "a", "a", "a"])
})

test("a failure is not remembered", async () => {
  const { asked, embedder } = countingEmbedder()
  const cached = createCachedEmbedder(embedder)
  await expect(cached.embed(["broken"], "query")).rejects.toThrow("broken")
  await expect(cached.embed(["broken"], "query")).rejects.toThrow("broken")
  expect(asked).toHaveLength(2)
})
