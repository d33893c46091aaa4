import { expect, test } from "vitest"
import type { Embedder } from "../lib/inference/inference.ts"
import { createMixtureEmbedder } from "./mixture-embedder.ts"
import { recombinePassages } from "./recombined-passages.ts"

const corpus = Array.from({ length: 12 }, (_, document) => ({
  _id: `d${document}`,
  title: "",
  text: Array.from({ length: 6 }, (_, i) => `Document ${document} says its sentence number ${i} here.`).join(" "),
}))

test("passages are the same for the same seed, others for another, and none comes twice", () => {
  const made = [...recombinePassages(corpus, 500, 1)].map((passage) => passage.content)
  expect(new Set(made).size).toBe(500)
  expect([...recombinePassages(corpus, 500, 1)].map((passage) => passage.content)).toEqual(made)
  expect([...recombinePassages(corpus, 500, 2)].map((passage) => passage.content)).not.toEqual(made)
})

test("a passage holds half of the sentences of each of its two documents", () => {
  for (const { content, sources } of recombinePassages(corpus, 50, 3)) {
    expect(sources.map(([, sentences]) => sentences)).toEqual([3, 3])
    for (const [document] of sources) {
      expect(content.split(`Document ${document} says`)).toHaveLength(4)
    }
  }
})

test("a corpus too small for the passages is refused rather than repeated", () => {
  const tiny = corpus.slice(0, 2).map((passage) => ({ ...passage, text: passage.text.slice(0, 40) }))
  expect(() => [...recombinePassages(tiny, 50, 1)]).toThrow(RangeError)
})

test("a passage's vector is of unit length and lies between those of its sources, and queries go to the model", async () => {
  const axes = corpus.map((_, index) => Float32Array.from({ length: 384 }, (_, i) => (i === index ? 1 : 0)))
  const query = new Float32Array(384).fill(0.05)
  const model: Embedder = {
    model: "test/axes",
    dimensions: 384,
    maxTokens: 256,
    countTokens: (text) => text.length,
    embed: async () => ({ vectors: [query], truncated: [], tokens: 1 }),
  }
  const mixture = createMixtureEmbedder(model, axes)
  const passages = [...recombinePassages(corpus, 20, 5)]
  mixture.expect(passages)
  const { vectors } = await mixture.embedder.embed(
    passages.map((passage) => passage.content),
    "passage",
  )
  for (const [index, vector] of vectors.entries()) {
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    for (const [document] of passages[index]?.sources ?? []) expect(vector[document]).toBeCloseTo(Math.SQRT1_2, 1)
  }
  expect((await mixture.embedder.embed(["?"], "query")).vectors).toEqual([query])
  await expect(mixture.embedder.embed(["unknown"], "passage")).rejects.toThrow(RangeError)
})
