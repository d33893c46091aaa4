import { describe, expect, test } from "vitest"
import { bundleFunction } from "./bundle-function.ts"

// A Lambda that starts reads its code first: what a route doesn't need has no place in it.

const NEON = "lib/database/neon.ts"
const KB = 1_000

test("search is under 700 KB, whatever it loads later", async () => {
  const { staticBytes, moreBytes } = await bundleFunction("search")
  const later = [NEON, "lib/database/pg.ts", "functions/http/auth.ts", "lib/keys/authenticator.ts"]
  expect(later.reduce((sum, module) => sum + moreBytes(module), staticBytes)).toBeLessThan(700 * KB)
})

test("a health check on Neon loads under 295 KB: neither the models' clients nor what keys need", async () => {
  const { staticBytes, moreBytes, loads } = await bundleFunction("health")
  expect(staticBytes + moreBytes(NEON)).toBeLessThan(295 * KB)
  for (const part of ["lib/inference", "lib/keys", "lru-cache"]) expect(loads(part), part).toBe(false)
})

test("an answer that starts loads no graph: the first question does, and one without a language model never", async () => {
  const { loads, moreBytes, staticBytes } = await bundleFunction("answer")
  for (const part of ["@langchain", "/eld/"]) expect(loads(part), part).toBe(false)
  expect(staticBytes).toBeLessThan(700 * KB)
  expect(moreBytes("lib/answers/graph/compile-graph.ts")).toBeLessThan(1_200 * KB)
})

const HEAVY = {
  langgraph: "@langchain",
  "an embedded database": "@electric-sql/pglite",
  "ONNX Runtime": "onnxruntime",
  transformers: "@huggingface/transformers",
  PDFium: "@embedpdf/pdfium",
  Tesseract: "tesseract.js-core",
  sharp: "sharp",
  "S3's client": "@aws-sdk/client-s3",
  "language data": "/eld/",
  "DOCX's reader": "mammoth",
}
const NEEDED: Readonly<Record<string, readonly (keyof typeof HEAVY)[]>> = {
  search: [],
  health: [],
  models: [],
  pages: [],
  answer: ["langgraph", "language data"],
  mcp: ["langgraph", "language data", "S3's client", "sharp"],
  migrate: [],
  index: ["language data"],
  documents: ["S3's client"],
  crop: ["S3's client", "sharp"],
}

describe.each(Object.entries(NEEDED))("%s", (name, needed) => {
  test(`carries ${needed.join(" and ") || "nothing heavy"}, and nothing heavy besides`, async () => {
    const { has } = await bundleFunction(name)
    const carried = Object.entries(HEAVY).filter(([, part]) => has(part))
    expect(carried.map(([what]) => what).sort()).toEqual([...needed].sort())
  })
})
