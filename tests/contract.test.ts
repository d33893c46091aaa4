import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type SearchHit, SearchResponse } from "../lib/search/response.ts"
import { type Served, serve } from "./served.ts"

// What clients of the retrieval plugin rely on, field by field, end to end.

let served: Served

beforeAll(async () => {
  served = await serve()
  for (const document of DOCUMENTS) await index(document)
})
afterAll(() => served.close())

const DOCUMENTS = [
  {
    id: "lighthouse",
    title: "The lighthouse",
    content: "The keeper lights the lamp at dusk to warn ships off the reef.",
  },
  { id: "bread", title: "Bread", content: "Knead the dough, let it rise for an hour, and bake it in a hot oven." },
  { id: "wind", title: "Wind power", content: "Turbines on the ridge turn wind into electricity for the village." },
]

async function index(document: object) {
  const response = await served.post("/index", document)
  expect(response.status).toBe(201)
  const body = await response.json()
  expect(body).toEqual({ status: "indexed" })
}

async function search(request: object): Promise<SearchHit[]> {
  const response = await served.post("/search", request)
  expect(response.status).toBe(200)
  const { results, count } = SearchResponse.parse(await response.json())
  expect(count).toBe(results.length)
  return results
}

/** A vector of the caller's own model: 1 at `axis`, a little everywhere else. */
function vector(axis: number, dimensions = 1_536): number[] {
  return Array.from({ length: dimensions }, (_, i) => (i === axis ? 1 : 0.001))
}

describe("POST /index", () => {
  test("the same id twice leaves one document, the later one", async () => {
    await index({ id: "twice", title: "First", content: "zymurgy first", source_account_id: "twice" })
    await index({ id: "twice", title: "Second", content: "zymurgy second", source_account_id: "twice" })
    const hits = await search({ query: "zymurgy", source_account_id: "twice" })
    expect(hits).toMatchObject([{ id: "twice", title: "Second", content: "zymurgy second" }])
    const listed = await (await served.send("GET", "/documents?source_account_id=twice")).json()
    expect(listed).toMatchObject({ documents: [{ id: "twice", title: "Second" }] })
  })
})

describe("POST /search", () => {
  test("by query: both lists, every field of the contract", async () => {
    const [first] = await search({ query: "keeper of the lamp" })
    expect(first).toMatchObject({
      id: "lighthouse",
      source_account_id: "primary",
      title: "The lighthouse",
      content: DOCUMENTS[0]?.content,
      similarity: expect.any(Number),
      text_rank: expect.any(Number),
      rrf_score: expect.any(Number),
    })
  })

  test("a document at rank 1 of both lists scores 2/61", async () => {
    const [first] = await search({ query: "keeper lights the lamp" })
    expect(first?.id).toBe("lighthouse")
    expect(first?.rrf_score).toBeCloseTo(2 / 61, 12)
  })

  test("sorted by rrf_score, at most top_k", async () => {
    const hits = await search({ query: "wind and bread and ships", top_k: 2 })
    expect(hits).toHaveLength(2)
    const scores = (await search({ query: "wind and bread and ships" })).map((hit) => hit.rrf_score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(scores.length).toBe(3)
  })

  test("source_account_id is primary when absent or empty, and another tenant sees none of it", async () => {
    expect((await search({ query: "lamp", source_account_id: "" }))[0]?.source_account_id).toBe("primary")
    expect((await search({ query: "lamp", source_account_id: "primary" }))[0]?.id).toBe("lighthouse")
    expect(await search({ query: "lamp", source_account_id: "other" })).toEqual([])
  })

  test("neither query nor embedding is a 400", async () => {
    for (const request of [{}, { query: "" }, { query: "  " }, { embedding: null }, { top_k: 3 }]) {
      const response = await served.post("/search", request)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: "invalid_request", errors: [{ field: "query" }] })
    }
  })
})

describe("vectors of the caller's own model, 1,536 long beside the built-in 384", () => {
  const tenant = { source_account_id: "vectors" }

  beforeAll(async () => {
    await index({ ...tenant, id: "a", title: "A", content: "apples and pears", embedding: vector(0) })
    await index({ ...tenant, id: "b", title: "B", content: "bolts and nuts", embedding: vector(1) })
    await index({ ...tenant, id: "c", title: "C", content: "cats and dogs" })
  })

  test("by embedding alone: similarity and no text_rank", async () => {
    const hits = await search({ ...tenant, embedding: vector(1) })
    expect(hits.map(({ id }) => id)).toEqual(["b", "a"])
    expect(hits[0]?.similarity).toBeGreaterThan(0.99)
    for (const hit of hits) expect(hit).not.toHaveProperty("text_rank")
    expect(hits[0]?.rrf_score).toBeCloseTo(1 / 61, 12)
  })

  test("by both: each list gives its score only to what it saw", async () => {
    const hits = await search({ ...tenant, query: "apples cats", embedding: vector(0) })
    const byId = Object.fromEntries(hits.map((hit) => [hit.id, hit]))
    expect(hits[0]?.id).toBe("a")
    expect(hits[0]?.rrf_score).toBeGreaterThan(1 / 61)
    expect(byId["a"]).toMatchObject({ similarity: expect.any(Number), text_rank: expect.any(Number) })
    expect(byId["b"]).not.toHaveProperty("text_rank")
    expect(byId["c"]).not.toHaveProperty("similarity")
    expect(byId["c"]?.text_rank).toBeGreaterThan(0)
  })

  test("by words alone: text_rank and no similarity", async () => {
    const hits = await search({ ...tenant, query: "bolts", strategy: "lexical" })
    expect(hits).toMatchObject([{ id: "b", text_rank: expect.any(Number) }])
    expect(hits[0]).not.toHaveProperty("similarity")
  })

  test("a query finds by the built-in model what was indexed without a vector", async () => {
    const hits = await search({ ...tenant, query: "animals kept as pets" })
    expect(hits[0]?.id).toBe("c")
    expect(hits[0]?.similarity).toBeGreaterThan(0)
  })

  test("indexing again without an embedding removes the old vector", async () => {
    const own = { source_account_id: "removed", id: "a", title: "A" }
    await index({ ...own, content: "first", embedding: vector(2) })
    expect(await search({ source_account_id: "removed", embedding: vector(2) })).toHaveLength(1)
    await index({ ...own, content: "second" })
    expect(await search({ source_account_id: "removed", embedding: vector(2) })).toEqual([])
  })
})

describe("DELETE /documents/{id}", () => {
  test("takes the document out of every list, and a second time there is nothing to take", async () => {
    await index({ id: 'a/b "c" 📚', title: "Gone", content: "quixotic", source_account_id: "deleted" })
    const path = `/documents/${encodeURIComponent('a/b "c" 📚')}?source_account_id=deleted`
    expect((await served.send("GET", path)).status).toBe(200)
    expect((await served.send("DELETE", path)).status).toBe(200)
    expect(await search({ query: "quixotic", source_account_id: "deleted" })).toEqual([])
    expect((await served.send("DELETE", path)).status).toBe(404)
    expect((await served.send("GET", path)).status).toBe(404)
  })
})

test("what is searched for, and what is found, never reaches the log", () => {
  const text = served.lines.join("")
  expect(text).toContain('"route":"/search"')
  for (const word of ["quixotic", "zymurgy", "apples", "keeper"]) expect(text).not.toContain(word)
})

test("GET /health is 200 while the database answers and 503 when it is gone", async () => {
  expect(await (await served.send("GET", "/health")).json()).toEqual({ status: "ok" })
  const detail = await (await served.send("GET", "/health?detail=1")).json()
  expect(detail).toMatchObject({
    status: "ok",
    components: { database: { status: "ok" }, embedder: { status: "ok" }, reranker: { status: "ok" } },
  })
  const gone = await serve()
  await gone.runtime.owner.close()
  const response = await gone.send("GET", "/health")
  expect(response.status).toBe(503)
  expect(await response.json()).toEqual({ status: "unhealthy" })
  const search = await gone.post("/search", { query: "a" })
  expect(search.status).toBe(503)
  expect(await search.json()).toMatchObject({ code: "database_unavailable" })
})
