import { appendFile, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { Embedder } from "../lib/inference/inference.ts"
import { createCachingEmbedder } from "./caching-embedder.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "concordance-cache-"))
})
afterEach(() => rm(folder, { recursive: true }))

/** Embeds a text as its length and a constant, and keeps the passages that it was asked for. */
function lengthEmbedder(constant = 1): Embedder & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    model: "test/length",
    dimensions: 2,
    maxTokens: 8,
    countTokens: (text) => text.length,
    embed: async (texts) => {
      asked.push(...texts)
      return {
        vectors: texts.map((text) => Float32Array.of(text.length, constant)),
        truncated: texts.flatMap((text, index) => (text.length > 8 ? [index] : [])),
        tokens: texts.length,
      }
    },
  }
}

test("a passage goes through the model once, over several openings, and keeps that it was truncated", async () => {
  const first = lengthEmbedder()
  await (await createCachingEmbedder(first, folder)).embed(["one", "a long passage", "one"], "passage")
  expect(first.asked.slice(1)).toEqual(["one", "a long passage"])

  const second = lengthEmbedder()
  const again = await (await createCachingEmbedder(second, folder)).embed(["four", "a long passage", "one"], "passage")
  expect(second.asked.slice(1)).toEqual(["four"])
  expect(again.vectors).toEqual([Float32Array.of(4, 1), Float32Array.of(14, 1), Float32Array.of(3, 1)])
  expect(again).toMatchObject({ truncated: [1], tokens: 1 })
})

test("queries always go through the model", async () => {
  const inner = lengthEmbedder()
  const embedder = await createCachingEmbedder(inner, folder)
  await embedder.embed(["one"], "query")
  await embedder.embed(["one"], "query")
  expect(inner.asked.slice(1)).toEqual(["one", "one"])
})

test("vectors of a model that was built anew are not used", async () => {
  await (await createCachingEmbedder(lengthEmbedder(1), folder)).embed(["one"], "passage")
  const rebuilt = await createCachingEmbedder(lengthEmbedder(2), folder)
  expect((await rebuilt.embed(["one"], "passage")).vectors).toEqual([Float32Array.of(3, 2)])
})

test("half a record, left by a run that was killed, loses nothing written after it", async () => {
  await (await createCachingEmbedder(lengthEmbedder(), folder)).embed(["one"], "passage")
  await appendFile(join(folder, "test_length-2.vectors"), "torn")
  await (await createCachingEmbedder(lengthEmbedder(), folder)).embed(["four"], "passage")
  const inner = lengthEmbedder()
  await (await createCachingEmbedder(inner, folder)).embed(["one", "four"], "passage")
  expect(inner.asked.slice(1)).toEqual([])
})
