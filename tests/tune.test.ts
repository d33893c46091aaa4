import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { deadlineIn } from "../lib/deadline.ts"
import { loadQuestionDetector } from "../lib/detect-language.ts"
import type { Embedder, Reranker } from "../lib/inference/inference.ts"
import { type JudgedQuestions, readJudgments } from "../lib/judgments.ts"
import { databaseCandidates } from "../lib/search/database-candidates.ts"
import { SearchRequest } from "../lib/search/request.ts"
import { createSearch, type SearchDeps } from "../lib/search/search.ts"
import { applyTuning, readTunings, resetTuning } from "../lib/search/tune/tenant-tunings.ts"
import { tuneTenant, worthApplying } from "../lib/search/tune/tune-tenant.ts"
import { type Library, openLibrary } from "./library.ts"
import { createWordEmbedder } from "./word-embedder.ts"

// What a tenant's judged questions teach, and that its searches, and nobody else's, go by it at once.

let library: Library
let folder: string
beforeAll(async () => {
  library = await openLibrary()
  folder = await mkdtemp(join(tmpdir(), "concordance-tune-"))
})
afterAll(async () => {
  await library.close()
  await rm(folder, { recursive: true })
})

const COUNT = 60

/** Takes each question for one about the document before the right one. */
const misled: Embedder = {
  ...createWordEmbedder({ model: "test/misled", dimensions: COUNT }),
  async embed(texts, kind) {
    const vectors = texts.map((text) => {
      const number = Number(/al(\d+)/.exec(text)?.[1] ?? 0)
      const vector = new Float32Array(COUNT)
      vector[kind === "query" ? (number + COUNT - 1) % COUNT : number] = 1
      return vector
    })
    return { vectors, truncated: [], tokens: 0 }
  },
}

const documents = Array.from({ length: COUNT }, (_, at) => ({
  id: `d${at}`,
  language: "en",
  content: `al${at} be${at} be${(at + 1) % COUNT} of the harbour`,
}))

const judged: JudgedQuestions = {
  questions: documents.map((_, at) => ({ _id: `q${at}`, text: `al${at} be${at}` })),
  judgements: new Map(documents.map(({ id }, at) => [`q${at}`, new Map([[id, 1]])])),
}

const depsOf = (parts: Partial<SearchDeps> = {}): SearchDeps => ({
  find: databaseCandidates(library.database),
  embedder: misled,
  reranker: null,
  detector: loadQuestionDetector,
  settings: {
    ...{ searchStrategy: "weighted", searchDenseCandidates: 100, searchLexicalCandidates: 100, rerankCandidates: 15 },
    ...{ retrievalLambda: 0.8, embedTimeoutMs: 3_000, rerankTimeoutMs: 3_000 },
  },
  ...parts,
})
const learn = (tenant: string, parts?: Partial<SearchDeps>, questions = judged) =>
  tuneTenant(depsOf(parts), tenant, questions, { deadline: () => deadlineIn(60_000) })
const tuningOf = (tenant: string, alpha: number | null, embeddingModel = misled.model) => ({
  ...{ tenant, embeddingModel, alpha, reranker: null, rerankShare: null, evidence: {} },
})
const scores = async (tenant: string, alpha?: number, parts = {}) => {
  const request = { query: "al7 be7", strategy: "weighted" as const, ...(alpha !== undefined && { alpha }) }
  const { results } = await library.search(tenant, request, { embedder: misled, ...parts })
  return results.map(({ id, score }) => [id, Math.round(score * 1e6)])
}

test("a model that misleads gets a smaller share, whose held-out gain is significant; applied, searches go by it", async () => {
  await library.index("misled", documents, { embedder: misled })
  const learnt = await learn("misled")
  expect(learnt).toMatchObject({ questions: COUNT, reach: 1, embeddingModel: "test/misled", rerank: null })
  expect(learnt.alpha).toMatchObject({ standard: 0.5, isSignificant: true })
  expect(learnt.alpha.learnt).toBeLessThan(0.4)
  expect(learnt.alpha.after).toBeGreaterThan(learnt.alpha.before)

  const before = await scores("misled")
  expect(before[0]?.[0]).toBe("d6")
  const worth = worthApplying("misled", learnt)
  await applyTuning(library.owner, worth ?? tuningOf("misled", null))
  const tuned = await scores("misled")
  expect(tuned[0]?.[0]).toBe("d7")
  expect(tuned).toEqual(await scores("misled", learnt.alpha.learnt))
  expect(await scores("misled", 0.5)).toEqual(before)
  expect(await readTunings(library.owner, "misled")).toMatchObject([{ alpha: learnt.alpha.learnt, reranker: null }])

  expect(await resetTuning(library.owner, "misled")).toBe(true)
  expect(await scores("misled")).toEqual(before)
  expect(await resetTuning(library.owner, "misled")).toBe(false)
})

test("what is tuned to is measured against the default, whatever the tenant is tuned to already", async () => {
  await library.index("again", documents, { embedder: misled })
  const before = await learn("again")
  await applyTuning(library.owner, tuningOf("again", 0.1))
  expect(await learn("again")).toEqual(before)
})

test("a tenant's tuning is no other's, and not of another model's searches", async () => {
  for (const tenant of ["tuned", "beside"]) await library.index(tenant, documents, { embedder: misled })
  const before = await scores("beside")
  await applyTuning(library.owner, tuningOf("tuned", 0.1))
  expect(await scores("beside")).toEqual(before)
  await applyTuning(library.owner, tuningOf("tuned", 0.1, "another/model"))
  expect(await scores("tuned")).toEqual(before)
})

test("the tuning is read by the statement that searches: one unit of work, one statement", async () => {
  const seen: number[] = []
  const { database } = library
  const find = databaseCandidates({
    ...database,
    batch: (scope, statements, options) => {
      seen.push(statements.length)
      return database.batch(scope, statements, options)
    },
  })
  const search = createSearch(depsOf({ find }))
  await search("tuned", SearchRequest.parse({ query: "al7 be7" }), deadlineIn(60_000))
  expect(seen).toEqual([1])
})

test("a reranker that knows gets its share learnt for itself by name, and its searches go by it", async () => {
  await library.index("reranked", documents, { embedder: misled })
  const oracle: Reranker = {
    model: "test/oracle",
    score: async (query, texts) => texts.map((text) => (text.startsWith(query) ? 1 : 0)),
  }
  // The share of meaning has nothing to gain where both lists are misled alike, so that the reranker has.
  const learnt = await learn("reranked", { reranker: oracle })
  expect(learnt.rerank?.before).toBeLessThanOrEqual(learnt.rerank?.after ?? 0)
  const share = { ...tuningOf("reranked", null), reranker: oracle.model, rerankShare: 0.9 }
  await applyTuning(library.owner, share)
  const request = { query: "al7 be7", strategy: "weighted" as const, rerank: true }
  const first = async (reranker: Reranker) =>
    (await library.search("reranked", request, { embedder: misled, reranker })).results[0]
  expect((await first(oracle))?.score).toBeGreaterThan(0.9)
  const renamed = { ...oracle, model: "test/other" }
  expect((await first(renamed))?.score).toBeLessThan(0.9)
})

test.each([
  ["49 questions", 49, {}, /There are 49 questions .* it takes 50/],
  ["no model", COUNT, { embedder: null }, /EMBEDDING_MODEL/],
])("%s are refused", async (_, count, parts, message) => {
  const questions = { ...judged, questions: judged.questions.slice(0, count) }
  await expect(learn("misled", parts, questions)).rejects.toThrow(message)
})

test("judgments of documents that the tenant doesn't have are refused", async () => {
  const judgements = new Map(judged.questions.map(({ _id }) => [_id, new Map([["elsewhere", 1]])]))
  await expect(learn("misled", {}, { ...judged, judgements })).rejects.toThrow(
    /None of the relevant documents is found/,
  )
})

test("judgments are read from JSON lines, questions of the same words as one", async () => {
  const path = join(folder, "judgments.jsonl")
  const lines = [
    { query: "lamp oil", document: "d1", grade: 2 },
    { query: " lamp oil ", document: "d2", grade: 0 },
    { query: "nothing here", document: "d3", grade: 0 },
  ]
  await writeFile(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n\n`)
  const { questions, judgements } = await readJudgments(path)
  expect(questions).toEqual([{ _id: "lamp oil", text: "lamp oil" }])
  expect(judgements.get("lamp oil")).toEqual(
    new Map([
      ["d1", 2],
      ["d2", 0],
    ]),
  )
})

test.each([
  ['{"query":"a","document":"d","grade":1}\n{"query":"a","document":"d"}', /line 2: grade: /],
  ['{"query":" ","document":"d","grade":1}', /line 1: query: must not be blank/],
  ['{"query":"a","document":"","grade":1}', /line 1: document: /],
  ['{"query":"a","document":"d","grade":"1"}', /line 1: grade: /],
  ['{"query":"a","document":"d","grade":1}\nno json', /line 2: line: /],
  ['{"query":"a","document":"d","grade":1}\n{"query":"a","document":"d","grade":0}', /line 2: grade: is 0, .* says 1/],
  ['{"query":"a","document":"d","grade":0}', /no document above 0/],
])("judgments that are wrong are told with line and field: %s", async (text, message) => {
  const path = join(folder, "wrong.jsonl")
  await writeFile(path, text)
  await expect(readJudgments(path)).rejects.toThrow(message)
})

test("no file is told as such", async () => {
  await expect(readJudgments(join(folder, "none"))).rejects.toMatchObject({ code: "not_found" })
})
