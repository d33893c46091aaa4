import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import type { IndexRequest } from "../lib/documents/index-request.ts"
import { readFolder } from "../lib/documents/read-folder.ts"

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

test("every document that the samples' README names exists", async () => {
  const named = [...(await readFile("samples/README.md", "utf8")).matchAll(/`((?:en|pt)\/[\w-]+)`/g)]
  expect(named.length).toBeGreaterThan(20)
  for (const [, id] of named) expect(samples.map((d) => d.id)).toContain(id)
})
