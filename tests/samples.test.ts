import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import type { IndexRequest } from "../lib/documents/index-request.ts"
import { layOutPages } from "../lib/documents/layout/lay-out-pages.ts"
import { createFileReader } from "../lib/documents/pages/create-file-reader.ts"
import { listFolder, readFolder } from "../lib/documents/read-folder.ts"
import { NOTICE, NOTICE_TITLE, scannedSample, twoColumnSample } from "./sample-pdfs.ts"

const samples: IndexRequest[] = []
for await (const sample of readFolder("samples")) samples.push(sample)

test("the samples are forty documents in two languages, each with a title and 80 to 350 words", () => {
  expect(samples).toHaveLength(40)
  expect(samples.filter((d) => d.id.startsWith("pt/"))).toHaveLength(14)
  for (const { id, title, content = "" } of samples) {
    const words = content.split(/\s+/).length
    expect(title, id).not.toBe("")
    expect(words, id).toBeGreaterThanOrEqual(80)
    expect(words, id).toBeLessThanOrEqual(350)
  }
})

test.each([
  ["en/ice-house-report-1936", twoColumnSample],
  ["pt/edital-do-sal-1949", scannedSample],
])("%s.pdf is what npm run samples:pdfs writes, under 200 KB", async (id, make) => {
  const bytes = await readFile(`samples/${id}.pdf`)
  expect(Buffer.compare(bytes, await make())).toBe(0)
  expect(bytes.length).toBeLessThan(200_000)
})

test("the scan is read in its lines, as paragraphs, though it is typed wide, lies askew and has specks", async () => {
  const reader = createFileReader({ threads: 1 })
  const path = "samples/pt/edital-do-sal-1949.pdf"
  try {
    await reader.inspect(path, path)
    const { blocks } = layOutPages([(await reader.readPage(path, 1)).text])
    expect(new Set(blocks.map(({ kind }) => kind))).toEqual(new Set(["text"]))
    const read = blocks.flatMap(({ text }) => text.split(/\s+/))
    const typed = [...NOTICE_TITLE, NOTICE].join(" ").split(/\s+/)
    const pairs = new Set(read.map((word, i) => `${word} ${read[i + 1]}`))
    const kept = typed.filter((word, i) => i > 0 && pairs.has(`${typed[i - 1]} ${word}`))
    expect(kept.length / (typed.length - 1)).toBeGreaterThan(0.95)
  } finally {
    await reader.close()
  }
}, 60_000)

test("every document that the samples' README names exists", async () => {
  const named = [...(await readFile("samples/README.md", "utf8")).matchAll(/`((?:en|pt)\/[\w-]+)`/g)]
  expect(named.length).toBeGreaterThan(20)
  const pdfs = await listFolder("samples", undefined, (name) => (name.endsWith(".pdf") ? null : "no PDF"))
  const ids = [...samples, ...pdfs].map((d) => d.id)
  for (const [, id] of named) expect(ids).toContain(id)
})
