import { readdir, readFile } from "node:fs/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { testModelHome } from "../../tests/model-home.ts"
import { embeddingFamily } from "./embedding-families.ts"
import { type Inference, openInference } from "./open-inference.ts"
import { estimateTokens, remoteTexts } from "./remote-vectors.ts"

let inference: Inference
beforeAll(async () => {
  inference = await openInference({ inferenceProfile: "mini", home: await testModelHome() })
})
afterAll(() => inference.close())

const ENGLISH_ONLY = ["en"]
const count = (text: string) => inference.embedder?.countTokens(text) ?? 0

/** The texts of a folder of this repository, in pieces of about a chunk's length. */
async function pieces(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /\.(md|txt)$/.test(name))
  const texts = await Promise.all(names.map((name) => readFile(`${folder}/${name}`, "utf8")))
  return texts.flatMap((text) => text.match(/[\s\S]{700,1000}(?=\s)/g) ?? [])
}

test.each([
  ["samples/en", 1.25],
  ["samples/pt", 1.25],
])(
  "the estimate of chunks of %s is never below what the model counts, and at most %f times it",
  async (folder, most) => {
    const texts = await pieces(folder)
    expect(texts.length).toBeGreaterThan(10)
    const counts = texts.map((text) => ({ real: count(text), estimated: estimateTokens(text, ENGLISH_ONLY) }))
    for (const { real, estimated } of counts) expect(estimated).toBeGreaterThanOrEqual(real)
    const sum = (of: "real" | "estimated") => counts.reduce((total, each) => total + each[of], 0)
    expect(sum("estimated") / sum("real")).toBeLessThan(most)
  },
)

/** With more signs and figures than prose has: a third of its bytes are fewer than its tokens. */
const TECHNICAL = `
- \`--rate 600\` (req/min), \`[a-z0-9_-]{1,64}\`, \`{"k": 60, "w": [0.3, 0.7]}\`: what is it, and by which of the two?
| p50 | p95 | n | of |
| --- | --- | --- | --- |
| 3.1 ms | 7.9 ms | 1,024 | the list by words (\`<#>\`, GIN) |
| 0.2 ms | 0.4 ms | 64 | the fusion: \`1/(k+r1) + 1/(k+r2)\` |
`

test("the estimate of technical English, with its signs and figures, is not below either", () => {
  expect(Buffer.byteLength(TECHNICAL) / 3).toBeLessThan(count(TECHNICAL))
  expect(estimateTokens(TECHNICAL, ENGLISH_ONLY)).toBeGreaterThanOrEqual(count(TECHNICAL))
  expect(estimateTokens(TECHNICAL, ENGLISH_ONLY)).toBeLessThan(1.25 * count(TECHNICAL))
})

test("a text is cut to what its own head takes, however unlike its tail is", () => {
  const prose = "It was the storm of the year, and not one of the boats was in the harbour. ".repeat(40)
  const dense = "0123456789 ".repeat(200)
  for (const text of [prose, dense, dense + prose, prose + dense, "中".repeat(900)]) {
    const { texts, truncated } = remoteTexts([text], "passage", embeddingFamily("m"), 256)
    expect(truncated).toEqual([0])
    const [head = ""] = texts
    expect(text.startsWith(head)).toBe(true)
    expect(estimateTokens(head)).toBeLessThanOrEqual(256)
    expect(estimateTokens(head)).toBeGreaterThan(200)
  }
})
