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
      return {
        vectors: texts.map((text) => Float32Array.of(text.length)),
        truncated: texts.flatMap((text, i) => (text.length > 8 ? [i] : [])),
        tokens: texts.length,
      }
    },
  }
  return { asked, embedder }
}

test("a question asked again is not embedded again, until others have pushed it out", async () => {
  const { asked, embedder } = countingEmbedder()
  const cached = createCachedEmbedder(embedder, { queries: 2 })
  const first = await cached.embed(["a"], "query")
  expect(await cached.embed(["a"], "query")).toBe(first)
  expect(asked).toEqual(["a"])
  await cached.embed(["b"], "query")
  await cached.embed(["c"], "query")
  await cached.embed(["a"], "query")
  expect(asked).toEqual(["a", "b", "c", "a"])
})

test("a list of questions is embedded every time, and a passage apart from the same question: it may be prefixed otherwise", async () => {
  const { asked, embedder } = countingEmbedder()
  const cached = createCachedEmbedder(embedder)
  await cached.embed(["a"], "query")
  await cached.embed(["a"], "passage")
  await cached.embed(["a", "a"], "query")
  expect(asked).toEqual(["a", "a", "a", "a"])
})

test("of a list of passages those that were met before are not embedded again, and each gets its own vector", async () => {
  const { asked, embedder } = countingEmbedder()
  const cached = createCachedEmbedder(embedder)
  await cached.embed(["bb", "a passage too long"], "passage")
  const { vectors, truncated, tokens } = await cached.embed(["ccc", "a passage too long", "ccc", "bb"], "passage")
  expect(vectors.map(([length]) => length)).toEqual([3, 18, 3, 2])
  expect(truncated).toEqual([1])
  expect(tokens).toBe(1)
  expect(asked).toEqual(["bb", "a passage too long", "ccc"])
})

test("a list longer than what is remembered comes back whole", async () => {
  const { embedder } = countingEmbedder()
  const cached = createCachedEmbedder(embedder, { passages: 2 })
  await cached.embed(["a", "bb"], "passage")
  const { vectors } = await cached.embed(["a", "ccc", "dddd", "eeeee", "bb"], "passage")
  expect(vectors.map(([length]) => length)).toEqual([1, 3, 4, 5, 2])
})

test("a failure is not remembered", async () => {
  const { asked, embedder } = countingEmbedder()
  const cached = createCachedEmbedder(embedder)
  await expect(cached.embed(["broken"], "query")).rejects.toThrow("broken")
  await expect(cached.embed(["broken"], "query")).rejects.toThrow("broken")
  expect(asked).toHaveLength(2)
})
