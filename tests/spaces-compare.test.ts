import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { openPglite } from "../lib/database/pglite.ts"
import { deadlineIn } from "../lib/deadline.ts"
import { createIndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { openInference } from "../lib/inference/open-inference.ts"
import { migratedDump } from "./migrated-dump.ts"
import { startModelService } from "./model-service.ts"
import { concordance } from "./run-concordance.ts"

const DOCUMENTS = 4

/** Each number is a direction. The bad model takes a question's number for the next one. */
function vectorOf(model: string, text: string): number[] {
  const number = Number(/number (\d)/.exec(text)?.[1] ?? 0)
  const meant = model === "bad" && text.startsWith("where") ? (number + 1) % DOCUMENTS : number
  return Array.from({ length: DOCUMENTS }, (_, i) => (i === meant ? 1 : 0))
}

let home: string
let service: Awaited<ReturnType<typeof startModelService>>
let settings: Record<string, string>
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "concordance-compare-"))
  service = await startModelService(({ body }) => {
    const [model, input] = [String(body["model"]), body["input"] as string[]]
    return { json: { data: input.map((text, index) => ({ index, embedding: vectorOf(model, text) })) } }
  })
  settings = {
    CONCORDANCE_HOME: home,
    INFERENCE_PROFILE: "openai",
    EMBEDDING_MODEL: "good",
    EMBEDDING_BASE_URL: service.url,
    EMBEDDING_DIMENSIONS: String(DOCUMENTS),
    RERANK_MODEL: "none",
  }
  const { embedder } = await openInference({
    ...{ home, inferenceProfile: "openai", embeddingModel: "good", embeddingBaseUrl: service.url, rerankModel: "none" },
    embeddingDimensions: DOCUMENTS,
  })
  const { database } = await openPglite({ home, loadDataDir: await migratedDump() })
  const index = createIndexDocuments({ database, embedder })
  const requests = Array.from({ length: DOCUMENTS }, (_, i) =>
    IndexRequest.parse({ id: `d${i}`, content: `This is number ${i}.` }),
  )
  for (const outcome of await index("primary", requests, deadlineIn(60_000))) expect(outcome).toHaveProperty("indexed")
  await database.close()
})
afterEach(() => vi.unstubAllEnvs())
afterAll(async () => {
  await service?.close()
  await rm(home, { recursive: true, force: true })
})

const run = async (...args: string[]) => {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
  const { status, out, err } = await concordance("spaces", ...args)
  expect({ status, err: status === 0 ? "" : err }).toEqual({ status: 0, err: "" })
  return out
}

test("spaces compare --judgments prints nDCG@10 of both models as it is by hand, and which questions differ", {
  timeout: 240_000,
}, async () => {
  await run("create", "bad", "--base-url", service.url, "--dimensions", String(DOCUMENTS))
  await run("backfill", "bad")
  const folder = join(home, "judged")
  await mkdir(join(folder, "qrels"), { recursive: true })
  const numbers = Array.from({ length: DOCUMENTS }, (_, i) => i)
  const queries = numbers.map((i) => JSON.stringify({ _id: `q${i}`, text: `where is number ${i}` }))
  await writeFile(join(folder, "queries.jsonl"), queries.join("\n"))
  const judged = numbers.map((i) => `q${i}\td${i}\t1`)
  await writeFile(join(folder, "qrels", "test.tsv"), ["query-id\tcorpus-id\tscore", ...judged].join("\n"))
  const out = await run("compare", "bad", "--judgments", folder)
  expect(out).toContain(`of ${DOCUMENTS} queries`)
  expect(out).toMatch(/nDCG@10 before 1\.000 \[1\.000, 1\.000\]/)
  // Where the next one stands first, the others follow in order of writing: the right ones are 2nd, 3rd, 4th and 4th.
  const after = numbers.map((i) => 1 / Math.log2(1 + Math.min(i + 2, DOCUMENTS))).reduce((a, b) => a + b) / DOCUMENTS
  expect(out).toContain(`nDCG@10 after  ${after.toFixed(3)} [`)
  expect(out).toContain(`difference     ${(after - 1).toFixed(3)} [`)
})
