import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { randomFrom } from "../lib/random.ts"
import { Strategy } from "../lib/shapes.ts"
import { vectorToSql } from "../lib/vector.ts"
import { type Library, openLibrary } from "./library.ts"
import { createWordEmbedder } from "./word-embedder.ts"

// The SQL function that direct database users call, and the pipeline, are one search.

const TENANT = "parity"
const DOCUMENTS = 200
const WORDS = ["wind", "mill", "ridge", "corn", "river", "steam", "engine", "harbour", "ship", "reef", "lamp", "dusk"]
const embedder = createWordEmbedder()

let library: Library

/** Few words and short texts, so that many documents tie in one list or both; ids in an order of their own. */
beforeAll(async () => {
  library = await openLibrary()
  const random = randomFrom(2)
  const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({
    id: `${["d", "😀", "～", "É"][i % 4]}${(i * 37) % DOCUMENTS}`,
    title: i % 5 === 0 ? "Wind" : "",
    content: Array.from({ length: 3 + (i % 3) }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" "),
    language: i % 7 === 0 ? "pt" : "en",
    metadata: { part: i % 3 },
  }))
  const bare = documents.slice(0, 20)
  // Some are found by words alone: they have no vector.
  await library.index(TENANT, bare, { embedder: null })
  await library.index(TENANT, documents.slice(20))
})
afterAll(() => library.close())

async function bySql(
  query: string,
  vector: Float32Array | null,
  strategy: Strategy,
  alpha = 0.5,
  rrfK = 60,
  filter: string | null = null,
) {
  const text = `
    select document_id, chunk_id, score, similarity, text_rank
      from hybrid_search_chunks($1, $2::text::halfvec, 50, $3, $4, $5, $6::text::jsonpath)`
  const values = [query, vector && vectorToSql(vector), strategy, alpha, rrfK, filter]
  const [rows = []] = await library.database.batch({ tenant: TENANT }, [{ text, values }])
  return rows.map((row) => [
    `${row["document_id"]}#${row["chunk_id"]}`,
    row["score"],
    row["similarity"],
    row["text_rank"],
  ])
}

async function byPipeline(query: string, strategy: Strategy, more: object = {}) {
  const { results } = await library.search(TENANT, { query, strategy, group_by: "chunk", top_k: 50, ...more })
  return results.map((hit) => [`${hit.id}#${hit.chunk_id}`, hit.score, hit.similarity ?? null, hit.text_rank ?? null])
}

const near = (rows: unknown[][]) =>
  rows.map((row) => row.map((cell) => (typeof cell === "number" ? expect.closeTo(cell, 9) : cell)))

const QUERIES = [
  "wind",
  "mill ridge",
  "steam engine by the river",
  '"wind mill"',
  "ship -reef lamp",
  "corn corn dusk harbour",
  "nothing known",
]

describe.each(Strategy.options)("%s", (strategy) => {
  test.each(QUERIES)("%s: the same chunks in the same order with the same scores", async (query) => {
    const { vectors } = await embedder.embed([query.replace("-reef", "").replaceAll('"', " ")], "query")
    const found = await byPipeline(query, strategy)
    expect(found).toEqual(near(await bySql(query, vectors[0] ?? null, strategy)))
    if (query !== "nothing known") expect(found.length).toBeGreaterThan(4)
  })
})

test("alpha, rrf_k and a filter mean the same to both", async () => {
  const { vectors } = await embedder.embed(["mill ridge"], "query")
  const vector = vectors[0] ?? null
  for (const alpha of [0, 0.2, 1]) {
    const found = await byPipeline("mill ridge", "weighted", { alpha })
    expect(found).toEqual(near(await bySql("mill ridge", vector, "weighted", alpha)))
  }
  const found = await byPipeline("mill ridge", "rrf", { rrf_k: 3, filter: { part: 1, language: "en" } })
  expect(found).toEqual(
    near(await bySql("mill ridge", vector, "rrf", 0.5, 3, '$ ? (@.part == 1 && $language == "en")')),
  )
  expect(found.length).toBeGreaterThan(4)
})

test.each([5e-324, 1e-308, 1e-17])("alpha %s is as good as 0", async (alpha) => {
  expect(await byPipeline("mill ridge", "weighted", { alpha })).toEqual(
    await byPipeline("mill ridge", "weighted", { alpha: 0 }),
  )
})

test("without a vector SQL ranks as the pipeline does by words alone", async () => {
  const found = await byPipeline("mill ridge", "lexical")
  for (const strategy of ["lexical", "weighted", "rrf"] as const) {
    expect((await bySql("mill ridge", null, strategy)).map(([id]) => id)).toEqual(found.map(([id]) => id))
  }
})

test("a chunk without a vector is found by its words, and counts as the least near", async () => {
  const { results } = await library.search(TENANT, {
    query: "wind mill",
    strategy: "weighted",
    top_k: 200,
    group_by: "chunk",
  })
  const bare = results.filter((hit) => hit.similarity === undefined)
  expect(bare.length).toBeGreaterThan(0)
  expect(bare.length).toBeLessThan(21)
  // Half of the score is the words': min–max over all that were found.
  const best = Math.max(...results.map((hit) => hit.text_rank ?? 0))
  const least = Math.min(...results.map((hit) => hit.text_rank ?? 0))
  for (const hit of bare) expect(hit.score).toBeCloseTo((0.5 * ((hit.text_rank ?? 0) - least)) / (best - least), 9)
})

test("every candidate of weighted has both exact scores, whichever list found it", async () => {
  const { results } = await library.search(TENANT, {
    query: "wind",
    strategy: "weighted",
    top_k: 200,
    group_by: "chunk",
  })
  const { results: dense } = await library.search(TENANT, {
    query: "wind",
    strategy: "semantic",
    top_k: 200,
    group_by: "chunk",
  })
  const similarity = new Map(dense.map((hit) => [hit.id, hit.similarity]))
  expect(results.some((hit) => hit.text_rank === 0 && (hit.similarity ?? 0) > 0)).toBe(true)
  for (const hit of results) if (hit.similarity !== undefined) expect(hit.similarity).toBe(similarity.get(hit.id))
})

test("ties break by the bytes of the id, in each list and with a filter as without", async () => {
  await library.index(
    "ties",
    ["😀", "～", "b", "B", "é", "a"].map((id) => ({ id, content: "wind mill", language: "en" })),
  )
  const order = ["B", "a", "b", "é", "～", "😀"]
  for (const strategy of Strategy.options) {
    expect(await library.find("ties", { query: "wind mill", strategy })).toEqual(order)
    expect(await library.find("ties", { query: "wind mill", strategy, filter: { language: "en" } })).toEqual(order)
    expect(await library.find("ties", { query: '"wind mill"', strategy, group_by: "chunk" })).toEqual(order)
  }
})
