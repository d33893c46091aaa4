import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { deadlineIn } from "../lib/deadline.ts"
import { AppError } from "../lib/errors.ts"
import type { Embedder, Reranker } from "../lib/inference/inference.ts"
import { randomFrom } from "../lib/random.ts"
import { Strategy } from "../lib/shapes.ts"
import { type Library, openLibrary } from "./library.ts"
import { createWordEmbedder } from "./word-embedder.ts"

// What each stage of the pipeline promises, end to end on a database.

let library: Library

beforeAll(async () => {
  library = await openLibrary()
})
afterAll(() => library.close())

const WORDS = ["wind", "mill", "ridge", "corn", "river", "steam", "engine", "harbour", "ship", "reef", "lamp", "dusk"]

function randomDocuments(count: number, seed: number) {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    language: "en",
    content: Array.from(
      { length: 4 + Math.floor(random() * 9) },
      () => WORDS[Math.floor(random() * WORDS.length)],
    ).join(" "),
  }))
}

/** Prefers the longest passage: nothing that fusion would think of. */
const longest: Reranker = {
  model: "test/longest",
  score: async (_query, passages) => passages.map((text) => text.length),
}

describe("group_by", () => {
  beforeAll(() =>
    library.index("groups", [
      {
        id: "book",
        language: "en",
        chunks: [
          { content: "wind mill" },
          { content: "wind mill on the ridge" },
          { content: "wind" },
          { content: "an unrelated chapter" },
        ],
      },
      { id: "leaflet", language: "en", content: "the mill grinds corn with wind" },
      { id: "poem", language: "en", content: "dusk and a lamp" },
    ]),
  )

  test.each(Strategy.options)("document: each document takes one place, with its best chunk (%s)", async (strategy) => {
    const { results } = await library.search("groups", { query: "wind mill", strategy })
    const found = results.map((hit) => hit.id)
    expect(new Set(found).size).toBe(found.length)
    expect(results[0]).toMatchObject({ id: "book", content: "wind mill", chunk_id: "c0001" })
    expect(results[1]?.id).toBe("leaflet")
  })

  test("document: ranks count documents, so a document of many chunks pushes nobody down", async () => {
    const { results } = await library.search("groups", { query: "wind mill" })
    expect(results.map((hit) => hit.rrf_score)).toEqual([2 / 61, 2 / 62, 1 / 63])
  })

  test("chunk: every chunk takes a place of its own", async () => {
    const { results } = await library.search("groups", { query: "wind mill", group_by: "chunk" })
    expect(results.filter((hit) => hit.id === "book")).toHaveLength(4)
    expect(new Set(results.map((hit) => `${hit.id}#${hit.chunk_id}`)).size).toBe(results.length)
  })

  test("a document with more matching chunks than the lists are long hides none of the others", async () => {
    const chunks = Array.from({ length: 450 }, (_, i) => ({ content: `wind mill ${WORDS[i % 12]} ${i}` }))
    await library.index("crowd", [
      { id: "crowd", language: "en", chunks },
      {
        id: "one",
        language: "en",
        content: "a longer text that names the wind and a mill among much else beside the point",
      },
      {
        id: "two",
        language: "en",
        content: "another long text in which both the wind and the mill stand among other words",
      },
    ])
    for (const strategy of Strategy.options) {
      const found = await library.find("crowd", { query: "wind mill", strategy })
      expect([strategy, ...found.sort()]).toEqual([strategy, "crowd", "one", "two"])
    }
  })
})

describe("expand_parents", () => {
  const parents = [{ content: "Parent one: wind and mill in context" }, { content: "Parent two: more wind in context" }]

  beforeAll(() =>
    library.index("parents", [
      {
        id: "book",
        title: "Book",
        language: "en",
        parents,
        chunks: [
          { content: "wind mill", parent: 0, regions: [{ page: 3, x0: 0, y0: 0, x1: 1, y1: 0.5 }] },
          { content: "wind mill again", parent: 0 },
          { content: "wind", parent: 1 },
          { content: "wind mill alone" },
        ],
      },
    ]),
  )

  test("a child gives its parent's text, each parent once, and a chunk without one stays", async () => {
    const request = { query: "wind mill", group_by: "chunk" as const, expand_parents: true }
    for (const strategy of Strategy.options) {
      const { results } = await library.search("parents", { ...request, strategy })
      const shown = results.map((hit) => hit.content).sort()
      expect(shown).toEqual([...parents.map((parent) => parent.content), "wind mill alone"].sort())
      expect(results.map((hit) => hit.chunk_id)).toEqual(expect.arrayContaining(["p0001", "p0002"]))
    }
  })

  test("marks the words and cites the chunk of the text that is shown", async () => {
    const { results } = await library.search("parents", {
      query: "wind mill",
      group_by: "chunk",
      expand_parents: true,
      highlight: true,
    })
    const parent = results.find((hit) => hit.chunk_id === "p0001")
    expect(parent?.citation).toBe("[[book/p003#p0001]]")
    expect(parent?.highlights?.map(({ start, end }) => parent.content.slice(start, end))).toEqual(["wind", "mill"])
  })

  test("a parent is read, never found", async () => {
    expect(await library.find("parents", { query: "context", strategy: "lexical" })).toEqual([])
    const { results } = await library.search("parents", { query: "wind mill in context", group_by: "chunk" })
    for (const hit of results) expect(hit.chunk_id).toMatch(/^c/)
  })

  test("a parent with more children than a page has hits still leaves a full page", async () => {
    await library.index("families", [
      {
        id: "large",
        language: "en",
        parents: [{ content: "The large family" }],
        chunks: Array.from({ length: 90 }, (_, i) => ({ content: `wind mill ${i}`, parent: 0 })),
      },
      ...Array.from({ length: 5 }, (_, i) => ({
        id: `small${i}`,
        language: "en",
        content: `a mill that has no wind ${i}`,
      })),
    ])
    for (const more of [{}, { mmr: true }, { rerank: true }]) {
      const request = { query: "wind mill", group_by: "chunk" as const, expand_parents: true, top_k: 3, ...more }
      const { results } = await library.search("families", request, { reranker: longest })
      expect(results).toHaveLength(3)
      expect(results.filter((hit) => hit.content === "The large family")).toHaveLength(1)
    }
  })
})

describe("mmr", () => {
  beforeAll(() =>
    library.index("twins", [
      { id: "first", language: "en", content: "wind mill ridge" },
      { id: "twin", language: "en", content: "wind mill ridge." },
      { id: "other", language: "en", content: "wind harbour ship" },
    ]),
  )

  test("pushes a near-duplicate below what says something else; lambda 1 changes nothing", async () => {
    const find = (more: object) => library.find("twins", { query: "wind mill ridge", strategy: "weighted", ...more })
    expect(await find({})).toEqual(["first", "twin", "other"])
    expect(await find({ mmr: true, lambda: 1 })).toEqual(["first", "twin", "other"])
    expect(await find({ mmr: true, lambda: 0.3 })).toEqual(["first", "other", "twin"])
  })

  test("lambda is the operator's when the request says nothing, and has no effect without mmr", async () => {
    const request = { query: "wind mill ridge", strategy: "weighted" as const, mmr: true }
    expect(await library.find("twins", request, { settings: { retrievalLambda: 0.3 } })).toEqual([
      "first",
      "other",
      "twin",
    ])
    const { warnings } = await library.search("twins", { query: "wind", lambda: 0.3 })
    expect(warnings).toEqual([expect.stringMatching(/^lambda/)])
  })

  test("drops nothing", async () => {
    await library.index("many", randomDocuments(120, 4))
    const request = { query: "wind mill", top_k: 200, group_by: "chunk" as const }
    const plain = await library.find("many", request)
    expect((await library.find("many", { ...request, mmr: true })).sort()).toEqual(plain.sort())
  })
})

describe("rerank", () => {
  beforeAll(() => library.index("ranked", randomDocuments(40, 9)))

  test("reorders the top, and says nothing when it worked", async () => {
    const request = { query: "wind mill", strategy: "weighted" as const }
    const plain = await library.search("ranked", request)
    const reranked = await library.search("ranked", { ...request, rerank: true }, { reranker: longest })
    expect(reranked.results.map((hit) => hit.id)).not.toEqual(plain.results.map((hit) => hit.id))
    expect(reranked).not.toHaveProperty("degraded")
    const scores = reranked.results.map((hit) => hit.score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  test.each<[string, Reranker | null]>([
    ["none is configured", null],
    ["it fails", { model: "test", score: () => Promise.reject(new Error("secret")) }],
    ["it never answers", { model: "test", score: () => new Promise(() => {}) }],
    ["it gives too few scores", { model: "test", score: async () => [1] }],
  ])("where %s, the order is that of the fusion, flagged", async (_, reranker) => {
    const parts = { reranker, settings: { rerankTimeoutMs: 50 } }
    const plain = await library.search("ranked", { query: "wind mill" })
    const found = await library.search("ranked", { query: "wind mill", rerank: true }, parts)
    expect(found.results).toEqual(plain.results)
    expect(found.degraded).toEqual([expect.stringMatching(/^rerank: .*; the order is that of the fusion$/)])
    expect(JSON.stringify(found)).not.toContain("secret")
  })
})

test("explain has the list that each stage left", async () => {
  await library.index("explained", randomDocuments(30, 6))
  const request = { query: "wind mill", explain: true, mmr: true, rerank: true, expand_parents: true, top_k: 5 }
  const found = await library.search("explained", request, { reranker: longest })
  expect(found.explain?.map(({ stage }) => stage)).toEqual([
    "dense",
    "lexical",
    "fuse",
    "diversify",
    "rerank",
    "expand",
  ])
  for (const { hits } of found.explain ?? []) expect(hits.length).toBeGreaterThan(4)
  const last = found.explain?.at(-1)?.hits.slice(0, 5)
  expect(last).toEqual(found.results.map((hit) => ({ id: hit.id, chunk_id: hit.chunk_id, score: hit.score })))
  const [dense, words] = found.explain ?? []
  for (const list of [dense, words]) {
    const scores = list?.hits.map((hit) => hit.score) ?? []
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  }
  const plain = await library.search("explained", { query: "wind mill", explain: true, strategy: "lexical" })
  expect(plain.explain?.map(({ stage }) => stage)).toEqual(["dense", "lexical", "fuse"])
  expect(plain.explain?.[0]?.hits).toEqual([])
  expect(await library.search("explained", { query: "wind mill" })).not.toHaveProperty("explain")
})

describe("cursors", () => {
  beforeAll(() => library.index("pages", randomDocuments(230, 8)))

  test.each<[string, object]>([
    ["rrf", { strategy: "rrf" }],
    ["weighted", { strategy: "weighted" }],
    ["semantic", { strategy: "semantic" }],
    ["lexical", { strategy: "lexical" }],
    ["two_pass", { strategy: "two_pass" }],
    ["rerank", { strategy: "weighted", rerank: true }],
    ["mmr", { strategy: "weighted", mmr: true }],
    ["mmr and rerank", { mmr: true, rerank: true }],
    ["chunks", { strategy: "weighted", group_by: "chunk" }],
  ])("%s: the pages are the list, each hit once, none left out", async (_, more) => {
    const request = { query: "wind mill harbour", ...more }
    // Up to 100 hits a page the lists are equally deep, so the pages are parts of one list.
    const whole = await library.search("pages", { ...request, top_k: 100 }, { reranker: longest })
    for (const topK of [7, 60]) {
      const hits = await library.page("pages", { ...request, top_k: topK }, { reranker: longest })
      const found = hits.map((hit) => hit.id)
      expect(new Set(found).size).toBe(found.length)
      expect(found.length).toBeGreaterThanOrEqual(100)
      expect(found.slice(0, 100)).toEqual(whole.results.map((hit) => hit.id))
    }
  })

  test("the last page has no cursor, and a page has as many hits as asked for", async () => {
    const first = await library.search("pages", { query: "wind", top_k: 9 })
    expect(first).toMatchObject({ count: 9, next_cursor: expect.any(String) })
    expect(await library.search("pages", { query: "wind", top_k: 200, strategy: "lexical" })).not.toHaveProperty(
      "next_cursor",
    )
  })

  test("a cursor of another request is refused, naming the field; only explain may change", async () => {
    const { next_cursor: cursor } = await library.search("pages", { query: "wind", top_k: 9 })
    for (const other of [
      { query: "mill" },
      { query: "wind", strategy: "weighted" as const },
      { query: "wind", filter: { a: 1 } },
    ]) {
      await expect(library.search("pages", { ...other, cursor })).rejects.toMatchObject({
        code: "invalid_request",
        fields: [{ field: "cursor" }],
      })
    }
    await expect(library.search("groups", { query: "wind", cursor })).rejects.toMatchObject({ code: "invalid_request" })
    await expect(library.search("pages", { query: "wind", cursor, top_k: 8 })).rejects.toMatchObject({
      code: "invalid_request",
    })
    expect((await library.search("pages", { query: "wind", cursor, top_k: 9, explain: true })).count).toBe(9)
  })
})

describe("without a model's answer", () => {
  const words = createWordEmbedder()
  const never: Embedder = { ...words, embed: () => new Promise(() => {}) }
  const failing: Embedder = { ...words, embed: () => Promise.reject(new AppError("inference_unavailable", "secret")) }

  beforeAll(() => library.index("cold", randomDocuments(20, 3)))

  test.each<[string, Embedder | null]>([
    ["never answers", never],
    ["fails", failing],
    ["is not configured", null],
  ])("an embedder that %s: words alone, flagged, never an error, in every strategy", async (_, embedder) => {
    const byWords = await library.find("cold", { query: "wind mill", strategy: "lexical" })
    expect(byWords.length).toBeGreaterThan(3)
    for (const strategy of ["rrf", "weighted", "semantic", "two_pass"] as const) {
      const from = performance.now()
      const found = await library.search(
        "cold",
        { query: "wind mill", strategy },
        { embedder, settings: { embedTimeoutMs: 50 } },
      )
      expect(performance.now() - from).toBeLessThan(3_000)
      expect(found.results.map((hit) => hit.id)).toEqual(byWords)
      expect(found.degraded).toEqual([expect.stringMatching(/^meaning: .*; ranked by words alone$/)])
      expect(found.strategy).toBe(strategy === "rrf" ? "rrf" : "lexical")
      expect(JSON.stringify(found)).not.toContain("secret")
      for (const hit of found.results) expect(hit).not.toHaveProperty("similarity")
    }
  })

  test("a model whose time is longer than the request's still leaves time to answer", async () => {
    const parts = { embedder: never, deadline: deadlineIn(4_000), settings: { embedTimeoutMs: 60_000 } }
    const from = performance.now()
    const found = await library.search("cold", { query: "wind mill" }, parts)
    expect(performance.now() - from).toBeLessThan(4_000)
    expect(found.count).toBeGreaterThan(3)
    expect(found).toHaveProperty("degraded")
  })

  test("lexical asks no model, and is not degraded without one", async () => {
    expect(
      await library.search("cold", { query: "wind", strategy: "lexical" }, { embedder: never }),
    ).not.toHaveProperty("degraded")
  })

  test("a model that has no vectors here is flagged, and one of a tenant without anything is not", async () => {
    const other = createWordEmbedder({ model: "test/other", dimensions: 32 })
    const found = await library.search("cold", { query: "wind mill" }, { embedder: other })
    expect(found.degraded).toEqual([expect.stringMatching(/^meaning: no passage here has a vector of this model/)])
    expect(found.count).toBeGreaterThan(3)
    expect(await library.search("nobody", { query: "wind mill" }, { embedder: other })).toEqual({
      results: [],
      count: 0,
      strategy: "rrf",
    })
  })

  describe("a question in a language that the model doesn't understand", () => {
    const english = { ...createWordEmbedder(), languages: ["en"] }
    const QUESTION = "Quantos barcos de pesca saíram do porto naquela manhã?"

    test("is ranked by words alone under rrf, told so, and asks no model", async () => {
      await library.index("foreign", [
        { id: "pt", content: "Naquela manhã saíram do porto nove barcos de pesca.", language: "pt" },
        { id: "en", content: "Fishing boats at dawn." },
      ])
      const found = await library.search(
        "foreign",
        { query: QUESTION },
        { embedder: { ...english, embed: never.embed } },
      )
      expect(found.results.map((hit) => hit.id)).toEqual(["pt"])
      expect(found.degraded).toEqual([expect.stringMatching(/language \(pt\); ranked by words alone$/)])
      for (const ask of [{ query: QUESTION, language: "en" }, { query: "How many boats left the harbour?" }]) {
        expect(await library.search("foreign", ask, { embedder: english })).not.toHaveProperty("degraded")
      }
    })

    test("is ranked by meaning all the same where the words find nothing", async () => {
      await library.index("foreign2", [{ id: "en", content: "Fishing boats." }])
      const found = await library.search("foreign2", { query: QUESTION }, { embedder: english })
      expect(found.results.map((hit) => hit.id)).toEqual(["en"])
      expect(found.degraded).toEqual([expect.stringMatching(/the words found nothing/)])
    })
  })

  test.each(["semantic", "weighted", "two_pass"] as const)(
    "%s without a vector to compare with ranks by words, under that name",
    async (strategy) => {
      await library.index("brought", [{ id: "o", content: "only a brought vector", embedding: [0.1, 0.2, 0.3, 0.4] }])
      const found = await library.search("brought", { query: "brought vector", strategy })
      expect(found).toMatchObject({
        strategy: "lexical",
        count: 1,
        degraded: [expect.stringMatching(/no passage here/)],
      })
      expect(found.results[0]?.score).toBeGreaterThan(0)
    },
  )
})

describe("caller embeddings", () => {
  const axis = (i: number, dimensions = 1_536) => Array.from({ length: dimensions }, (_, j) => (i === j ? 1 : 0.001))

  beforeAll(async () => {
    await library.index("callers", [
      { id: "modelled", language: "en", content: "wind mill ridge" },
      { id: "given0", language: "en", content: "ship reef harbour", embedding: axis(0) },
      { id: "given1", language: "en", content: "lamp dusk", embedding: axis(1) },
      { id: "named", language: "en", content: "corn river", embedding: axis(2, 8), embedding_model: "their/model" },
    ])
  })

  test("embedding alone ranks by meaning, among vectors of its dimensions only", async () => {
    const { results, strategy } = await library.search("callers", { embedding: axis(1), strategy: "weighted" })
    expect(strategy).toBe("semantic")
    expect(results.map((hit) => hit.id)).toEqual(["given1", "given0"])
    expect(results[0]?.similarity).toBeCloseTo(1, 3)
    for (const hit of results) expect(hit).not.toHaveProperty("text_rank")
  })

  test("with words beside it both lists rank, and what has no such vector is found by its words", async () => {
    const { results } = await library.search("callers", { query: "wind mill lamp", embedding: axis(1) })
    expect(results.map((hit) => hit.id)).toEqual(["given1", "modelled", "given0"])
    expect(results[1]).not.toHaveProperty("similarity")
  })

  test("the model's own question still compares with the model's vectors", async () => {
    const { results } = await library.search("callers", { query: "wind mill", strategy: "semantic" })
    expect(results.map((hit) => hit.id)).toEqual(["modelled"])
  })

  test("the space is the model's that is named, else the one with these dimensions", async () => {
    expect(await library.find("callers", { embedding: axis(2, 8) })).toEqual(["named"])
    expect(await library.find("callers", { embedding: axis(2, 8), embedding_model: "their/model" })).toEqual(["named"])
    const refused = library.search("callers", { embedding: axis(2, 8), embedding_model: "another" })
    await expect(refused).rejects.toMatchObject({ code: "invalid_request", fields: [{ field: "embedding" }] })
    expect((await library.search("callers", { query: "wind", embedding_model: "x" })).warnings).toEqual([
      expect.stringMatching(/^embedding_model/),
    ])
  })

  test("dimensions that nothing here has are refused, naming the field and those that are known", async () => {
    await expect(library.search("callers", { embedding: [1, 2, 3] })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(/3 dimensions; .*1536 \(caller:1536\).*64 \(test\/words\).*8 \(their\/model\)/),
      fields: [{ field: "embedding" }],
    })
  })

  test("a tenant without vectors has nothing to contradict: empty, not an error", async () => {
    expect(await library.search("empty", { embedding: [1, 2, 3] })).toMatchObject({ results: [], count: 0 })
  })
})

test("lexical without a query is refused, naming the field", async () => {
  await expect(library.search("any", { embedding: [1, 2], strategy: "lexical" })).rejects.toMatchObject({
    code: "invalid_request",
    fields: [{ field: "query" }],
  })
})
