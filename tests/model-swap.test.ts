import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { deadlineIn } from "../lib/deadline.ts"
import { createDocuments } from "../lib/documents/documents.ts"
import { createIndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { activateSpace } from "../lib/documents/spaces/activate-space.ts"
import { backfillSpace } from "../lib/documents/spaces/backfill-space.ts"
import { compareSpaces } from "../lib/documents/spaces/compare-spaces.ts"
import { createSpace } from "../lib/documents/spaces/create-space.ts"
import { dropSpace } from "../lib/documents/spaces/drop-space.ts"
import { indexLargeSpace } from "../lib/documents/spaces/index-large-space.ts"
import { countMissing, readSpaces } from "../lib/documents/spaces/named-space.ts"
import { AppError } from "../lib/errors.ts"
import type { Embedder } from "../lib/inference/inference.ts"
import { type Inference, openInference } from "../lib/inference/open-inference.ts"
import { passageText } from "../lib/passage.ts"
import { createHealth } from "../lib/runtime/create-health.ts"
import { createTenantModels } from "../lib/runtime/create-tenant-models.ts"
import { createModelPool, type OpenModel } from "../lib/runtime/open-model-pool.ts"
import { databaseCandidates } from "../lib/search/database-candidates.ts"
import { SearchRequest } from "../lib/search/request.ts"
import { createSearch } from "../lib/search/search.ts"
import { dot, normalized, vectorFromBase64 } from "../lib/vector.ts"
import { openTestDatabase, type TestDatabase } from "./database.ts"
import type { SearchInput } from "./library.ts"
import { testModelHome } from "./model-home.ts"
import { createWordEmbedder } from "./word-embedder.ts"

let db: TestDatabase
let inference: Inference
let minilm: Embedder
const words = createWordEmbedder()
const others = createWordEmbedder({ model: "test/others", dimensions: 48 })

beforeAll(async () => {
  db = await openTestDatabase()
  inference = await openInference({ inferenceProfile: "mini", home: await testModelHome(), rerankModel: "none" })
  if (!inference.embedder) throw new Error("MiniLM isn't there")
  minilm = inference.embedder
}, 120_000)
afterAll(async () => {
  await inference?.close()
  await db?.close()
})

let tenant = ""
let tenants = 0
beforeEach(() => {
  tenant = `t${tenants++}`
})

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const opening = (model: string) => ({ model, profile: "mini" as const })
const named = ({ model, dimensions }: Embedder) => ({ model, dimensions, opening: opening(model) })
const create = (wanted: Embedder, of = tenant) => createSpace(db.owner, of, named(wanted), named(words))
const activate = (embedder: Embedder, allowMissing = false) =>
  activateSpace({ owner: db.owner, database: db.database, embedder }, tenant, allowMissing)
const spaceId = async ({ model }: Embedder, of = tenant): Promise<number> =>
  (await db.owner.session((session) => readSpaces(session, of))).find((space) => space.model === model)?.id ?? 0
const backfill = async (embedder: Embedder) =>
  backfillSpace({ database: db.database, embedder }, tenant, await spaceId(embedder))
const missing = async (embedder: Embedder): Promise<number> => {
  const id = await spaceId(embedder)
  return db.owner.session((session) => countMissing(session, tenant, id))
}

const SETTINGS = {
  ...{ searchStrategy: "rrf" as const, searchDenseCandidates: 100, searchLexicalCandidates: 100, rerankCandidates: 50 },
  ...{ retrievalLambda: 0.8, embedTimeoutMs: 20_000, rerankTimeoutMs: 3_000 },
}

const openAny: OpenModel = async ({ model }) => ({
  embedder: model === minilm.model ? minilm : model === others.model ? others : null,
})

/** A server of its own, as far as models go, whose settings name the word embedder. `now`: its clock, ms. */
function openProcess({ open = openAny, now = Date.now }: { open?: OpenModel; now?: () => number } = {}) {
  const { database } = db
  const pool = createModelPool(open, silent, now)
  const models = createTenantModels({ database, pool, log: silent, now })
  const run = createSearch({
    ...{
      find: databaseCandidates(database),
      embedder: words,
      models,
      reranker: null,
      detector: null,
      settings: SETTINGS,
    },
  })
  const indexDocuments = createIndexDocuments({ database, embedder: words, models })
  return {
    pool,
    search: async (request: SearchInput) =>
      (await run(tenant, SearchRequest.parse(request), deadlineIn(60_000))).response,
    async index(...documents: { id: string; title?: string; content: string; [field: string]: unknown }[]) {
      const requests = documents.map((document) => IndexRequest.parse({ title: `About ${document.id}`, ...document }))
      for (const outcome of await indexDocuments(tenant, requests, deadlineIn(120_000))) {
        if ("failed" in outcome) throw outcome.failed
      }
    },
  }
}

const SUBJECTS = ["harbour", "lighthouse", "granite", "orchard", "violin", "glacier", "bakery", "telescope"]
const text = (i: number) =>
  `Note ${i}: the ${SUBJECTS[i % 8]} of the ${SUBJECTS[(i * 3 + 1) % 8]} keeper, seen on day ${i}, near the ${SUBJECTS[(i * 5 + 2) % 8]}.`
const fixed = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `fixed-${i}`, content: text(i), metadata: { set: "fixed" } }))
const ASKED: SearchInput = {
  query: "a keeper of the lighthouse",
  strategy: "semantic",
  filter: { set: "fixed" },
  top_k: 10,
}
const ids = ({ results }: { results: readonly { id: string }[] }) => results.map(({ id }) => id)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface StoredVector {
  readonly id: string
  readonly title: string
  readonly content: string
  readonly vector: string
}

/** Every chunk of the tenant, with its vector of this model. */
async function stored(embedder: Embedder): Promise<StoredVector[]> {
  const statement = {
    text: `select c.document_id as id, c.title, c.content, encode(halfvec_send(e.embedding), 'base64') as vector
      from chunks c left join embeddings e on e.chunk_key = c.key and e.space_id = $1 order by c.key`,
    values: [await spaceId(embedder)],
  }
  const [rows = []] = await db.database.batch({ tenant }, [statement])
  return rows as unknown as StoredVector[]
}

/** Chunks whose vector isn't that of their text. */
async function stale(embedder: Embedder): Promise<string[]> {
  const chunks = await stored(embedder)
  const { vectors } = await embedder.embed(
    chunks.map(({ title, content }) => passageText(title, [], content)),
    "passage",
  )
  return chunks.flatMap(({ id, vector }, i) => {
    const expected = vectors[i]
    const alike = vector && expected ? dot(normalized(vectorFromBase64(vector)), expected) : 0
    return alike > 0.99 ? [] : [id]
  })
}

test("throughout a swap two servers search and write: no error, nothing degraded, and each list is one model's or the other's", async () => {
  // A clock 40 times as fast: what is known of a tenant holds for a quarter of a second.
  const now = () => performance.now() * 40
  const slowly: OpenModel = async (opening) => {
    await pause(300)
    return openAny(opening)
  }
  const [one, two] = [openProcess({ now, open: slowly }), openProcess({ now, open: slowly })]
  await one.index(...fixed(24))
  const before = ids(await one.search(ASKED))

  let running = true
  const lists: string[][] = []
  const searching = [one, two].map(async (server) => {
    while (running) {
      const response = await server.search(ASKED)
      expect(response.degraded).toBeUndefined()
      lists.push(ids(response))
      await pause(10)
    }
  })
  let writes = 0
  const living = new Map<string, string>()
  const documents = createDocuments(db.database)
  const writing = [one, two].map(async (server, s) => {
    for (let i = 0; running; i++) {
      const id = `moving-${s}-${i % 7}`
      const content = `${text(i + s)} Version ${i} of ${id}.`
      if (i % 11 === 10) {
        await documents.delete(tenant, id)
        living.delete(id)
      } else {
        await server.index({ id, content })
        living.set(id, content)
      }
      writes++
      await pause(40)
    }
  })
  await create(minilm)
  await backfill(minilm)
  expect(await activate(minilm)).toBe(0)
  const switched = writes
  // Until both have heard of it and opened it, and some time more.
  await expect.poll(() => writes, { timeout: 60_000 }).toBeGreaterThan(switched + 10)
  await expect
    .poll(async () => [ids(await one.search(ASKED)), ids(await two.search(ASKED))], { timeout: 20_000 })
    .not.toContainEqual(before)
  running = false
  await Promise.all([...searching, ...writing])

  const after = ids(await one.search(ASKED))
  expect(after).not.toEqual(before)
  const strange = lists.filter((list) => ![String(before), String(after)].includes(String(list)))
  expect(strange).toEqual([])
  expect(lists.length).toBeGreaterThan(20)
  expect(await missing(minilm)).toBe(0)
  expect(await stale(minilm)).toEqual([])
  const found = new Map((await stored(minilm)).map(({ id, content }) => [id, content]))
  for (const [id, content] of living) expect(found.get(id)).toBe(content)
}, 180_000)

test("a document that is replaced or deleted while the backfill embeds it gets no vector of its old text", async () => {
  const server = openProcess()
  await server.index({ id: "a", content: "harbour" }, { id: "b", content: "granite" }, { id: "c", content: "violin" })
  await create(others)
  let calls = 0
  const interrupted: Embedder = {
    ...others,
    async embed(texts, kind) {
      if (calls++ === 0) {
        // The title is read with the text: the chunk and its key stay, and yet its vector is another.
        await server.index({ id: "a", title: "Quite another title", content: "harbour" })
        await createDocuments(db.database).delete(tenant, "b")
      }
      return others.embed(texts, kind)
    },
  }
  await backfillSpace({ database: db.database, embedder: interrupted }, tenant, await spaceId(others))
  expect((await stored(others)).map(({ id, vector }) => [id, vector !== null])).toEqual([
    ["a", false],
    ["c", true],
  ])
  await backfill(others)
  expect(await stale(others)).toEqual([])
  expect((await stored(others)).map(({ id }) => id)).toEqual(["a", "c"])
})

test("activate refuses while more is missing than it catches up with, and says how much; allowed, the backfill goes on after it", async () => {
  const server = openProcess()
  for (let i = 0; i < 600; i += 100) await server.index(...fixed(600).slice(i, i + 100))
  await create(others)
  await expect(activate(others)).rejects.toThrow("lacks 600 chunks")
  expect((await server.search(ASKED)).degraded).toBeUndefined()
  expect(await activate(others, true)).toBe(600)
  expect(await backfill(others)).toBe(600)
  expect(await missing(others)).toBe(0)
}, 60_000)

test("a server that hasn't heard of the swap writes by the new model all the same, and finds by the old one's vectors", async () => {
  const stopped = openProcess({ now: () => 0 })
  await stopped.index(...fixed(12))
  const before = ids(await stopped.search(ASKED))
  await create(others)
  await activate(others)
  const response = await stopped.search(ASKED)
  expect(response.degraded).toBeUndefined()
  expect(ids(response)).toEqual(before)
  await stopped.index({ id: "late", content: "written by a server that was told nothing" })
  expect(await missing(others)).toBe(0)
  expect(await stale(others)).toEqual([])
})

test("a model that can't be opened here leaves words alone: searches say so, health names it, writes are refused", async () => {
  const server = openProcess()
  await server.index(...fixed(12))
  await create(others)
  await activate(others)
  const failure = new AppError("invalid_configuration", "SPACES_API_KEY is needed")
  const without = openProcess({ open: () => Promise.reject(failure) })
  const response = await without.search({ query: "lighthouse keeper" })
  expect(response.degraded).toEqual([expect.stringMatching(/^meaning: .*ranked by words alone$/)])
  expect(response.results.length).toBeGreaterThan(0)
  await expect(without.index({ id: "new", content: "harbour" })).rejects.toBe(failure)
  const health = createHealth({
    ...{ database: db.database, models: async () => ({ embedder: words, reranker: null }), timeoutMs: 2_000 },
    unopened: without.pool.failed,
  })
  expect(await health(true)).toMatchObject({
    status: "ok",
    components: { tenant_models: { status: "unhealthy", name: others.model } },
  })
})

test("tenants stay apart: another tenant's swap changes nothing here, and its space takes no vector of ours", async () => {
  const server = openProcess()
  await server.index(...fixed(12))
  const ours = tenant
  const before = await server.search(ASKED)
  tenant = `${ours}-other`
  await server.index(...fixed(12))
  await create(others)
  await activate(others)
  const theirs = await spaceId(others)
  tenant = ours
  expect(ids(await openProcess().search(ASKED))).toEqual(ids(before))
  expect(await backfillSpace({ database: db.database, embedder: others }, ours, theirs)).toBe(0)
  expect((await db.owner.session((session) => readSpaces(session, ours))).map(({ model }) => model)).toEqual([
    words.model,
  ])
})

test("vectors that callers brought stay theirs: found as before, counted by no space, and kept by drop", async () => {
  const server = openProcess()
  await server.index({ id: "brought", content: "harbour", embedding: [1, 0, 0] }, { id: "made", content: "granite" })
  await create(others)
  expect(await missing(others)).toBe(1)
  await activate(others)
  expect(ids(await server.search({ embedding: [1, 0, 0] }))).toEqual(["brought"])
  await expect(dropSpace(db.owner, tenant, "caller:3", { standard: null })).rejects.toThrow("--brought")
})

test("drop refuses the model in use and one that was until a moment ago, and deletes only its own vectors", async () => {
  const server = openProcess()
  await server.index(...fixed(12))
  await create(others)
  await activate(others)
  const standard = words.model
  await expect(dropSpace(db.owner, tenant, others.model, { standard })).rejects.toThrow("activate another one first")
  await expect(dropSpace(db.owner, tenant, words.model, { standard })).rejects.toThrow("Wait, or pass --now")
  expect(await dropSpace(db.owner, tenant, words.model, { standard, now: true })).toBe(12)
  expect((await stored(others)).every(({ vector }) => vector !== null)).toBe(true)
  expect((await openProcess().search(ASKED)).degraded).toBeUndefined()
})

test("a filled space gets an index from the threshold on, or where the space in use has one; searches go by it", async () => {
  const server = openProcess()
  await server.index(...fixed(12))
  await create(others)
  await backfill(others)
  const indexed = async () =>
    Object.fromEntries(
      (await db.owner.session((session) => readSpaces(session, tenant))).map((space) => [space.model, space.indexed]),
    )
  expect(await indexLargeSpace(db.owner, tenant, others.model, 13)).toBe(false)
  expect(await indexed()).toEqual({ [words.model]: false, [others.model]: false })
  expect(await indexLargeSpace(db.owner, tenant, words.model, 12)).toBe(true)
  expect(await indexLargeSpace(db.owner, tenant, others.model)).toBe(true)
  expect(await indexLargeSpace(db.owner, tenant, others.model)).toBe(false)
  expect(await indexed()).toEqual({ [words.model]: true, [others.model]: true })
  await activate(others)
  const found = await openProcess().search({ query: text(3), strategy: "semantic" })
  expect(ids(found)[0]).toBe("fixed-3")
})

test("drop deletes batch by batch: one that is cut off has given up what it deleted, is searched by nobody, and is run again", async () => {
  const server = openProcess()
  await server.index(...fixed(12))
  await create(others)
  await activate(others)
  const id = await spaceId(words)
  const count = async () =>
    (
      await db.owner.session((session) =>
        session.query("select 1 from concordance.embeddings where space_id = $1", [id]),
      )
    ).length
  const options = { standard: words.model, now: true, vectorsPerBatch: 5 }
  const cutOff = (deleted: number) => {
    if (deleted >= 5) throw new Error("killed")
  }
  await expect(dropSpace(db.owner, tenant, words.model, { ...options, onProgress: cutOff })).rejects.toThrow("killed")
  expect(await count()).toBe(7)
  // Between two batches nothing is held: others write.
  await openProcess().index({ id: "meanwhile", content: "written between two batches" })
  expect(await count()).toBe(7)
  expect(await dropSpace(db.owner, tenant, words.model, options)).toBe(7)
  expect(await spaceId(words)).toBe(0)
  expect((await openProcess().search(ASKED)).degraded).toBeUndefined()
})

test("the swap back finds what was written meanwhile, after its own backfill", async () => {
  const server = openProcess({ now: () => performance.now() * 1e6 })
  await server.index(...fixed(6))
  await create(others)
  await activate(others)
  await server.index({ id: "between", content: "written between two swaps" })
  expect(await missing(words)).toBe(1)
  await activate(words)
  expect(await stale(words)).toEqual([])
  expect(ids(await server.search({ query: "written between two swaps", strategy: "semantic" }))[0]).toBe("between")
})

test("compare: a space with itself overlaps in all, and nDCG is that of the ranking", async () => {
  const server = openProcess()
  await server.index(...fixed(24))
  await create(others)
  await backfill(others)
  const queries = [0, 1, 2, 3].map((i) => ({ id: `q${i}`, text: text(i) }))
  const judgements = new Map(queries.map(({ id }, i) => [id, new Map([[`fixed-${i}`, 1]])]))
  const old = { id: await spaceId(words), embedder: words }
  const same = await compareSpaces(db.database, tenant, { before: old, after: old }, queries, judgements)
  expect(same.overlap.mean).toBe(1)
  // Each is asked by its own text: it comes first.
  expect(same.ndcg).toMatchObject({ before: { mean: 1 }, after: { mean: 1 }, gain: { mean: 0 } })
  const next = { id: await spaceId(others), embedder: others }
  const other = await compareSpaces(db.database, tenant, { before: old, after: next }, queries)
  expect(other.overlap.mean).toBeLessThan(1)
  expect(other.worst[0]?.overlap).toBeLessThanOrEqual(other.worst.at(-1)?.overlap ?? 0)
})
