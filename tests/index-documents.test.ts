import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { deadlineIn } from "../lib/deadline.ts"
import { AppError } from "../lib/errors.ts"
import type { Embedder } from "../lib/inference/inference.ts"
import { type IndexInput, type Library, openLibrary } from "./library.ts"
import { createWordEmbedder } from "./word-embedder.ts"

// What indexing promises: all of a document or nothing of it, ids that never lie, and vectors of one origin.

let library: Library
const words = createWordEmbedder()

beforeAll(async () => {
  library = await openLibrary()
})
afterAll(() => library.close())

/** Id and text of each chunk in reading order, as the database holds them. */
async function chunks(tenant: string, document: string): Promise<[string, string][]> {
  const text = "select id, content from chunks where document_id = $1 order by searchable, ordinal"
  const [rows = []] = await library.database.batch({ tenant }, [{ text, values: [document] }])
  return rows.map((row) => [row["id"] as string, row["content"] as string])
}

async function count(
  tenant: string,
  table: "documents" | "chunks" | "embeddings" | "embedding_spaces",
): Promise<number> {
  const [rows = []] = await library.database.batch({ tenant }, [{ text: `select count(*)::int as n from ${table}` }])
  return rows[0]?.["n"] as number
}

const parts = (...contents: string[]): IndexInput => ({
  id: "d",
  language: "en",
  chunks: contents.map((content) => ({ content })),
})

describe("ids of chunks", () => {
  test("an unchanged chunk keeps its id through an edit, a new one takes the next number", async () => {
    await library.index("ids", [parts("one", "two", "three")])
    expect(await chunks("ids", "d")).toEqual([
      ["c0001", "one"],
      ["c0002", "two"],
      ["c0003", "three"],
    ])
    await library.index("ids", [parts("zero", "three", "one")])
    expect(await chunks("ids", "d")).toEqual([
      ["c0004", "zero"],
      ["c0003", "three"],
      ["c0001", "one"],
    ])
  })

  test("no number is used again, neither after an edit nor after a delete", async () => {
    await library.index("ids", [parts("one")])
    await library.index("ids", [parts("one", "two")])
    expect(await chunks("ids", "d")).toEqual([
      ["c0001", "one"],
      ["c0005", "two"],
    ])
    expect(await library.documents.delete("ids", "d")).toBe(true)
    await library.index("ids", [parts("one", "two")])
    expect(await chunks("ids", "d")).toEqual([
      ["c0006", "one"],
      ["c0007", "two"],
    ])
  })

  test("parents count on from the same numbers, and keep theirs", async () => {
    const family = (parent: string, child: string): IndexInput => ({
      id: "family",
      parents: [{ content: parent }],
      chunks: [{ content: child, parent: 0 }],
    })
    await library.index("ids", [family("parent", "child")])
    expect(await chunks("ids", "family")).toEqual([
      ["p0001", "parent"],
      ["c0002", "child"],
    ])
    await library.index("ids", [family("parent", "another child")])
    expect(await chunks("ids", "family")).toEqual([
      ["p0001", "parent"],
      ["c0003", "another child"],
    ])
    await library.index("ids", [family("another parent", "another child")])
    expect(await chunks("ids", "family")).toEqual([
      ["p0004", "another parent"],
      ["c0003", "another child"],
    ])
  })

  test("a new title, language or metadata reaches the chunks that keep their ids", async () => {
    await library.index("retitled", [{ id: "d", title: "Old", language: "en", content: "winds", metadata: { a: 1 } }])
    await library.index("retitled", [{ id: "d", title: "Neu", language: "de", content: "winds", metadata: { b: 2 } }])
    const found = await library.search("retitled", { query: "neu", strategy: "lexical" })
    expect(found.results).toMatchObject([{ chunk_id: "c0001", title: "Neu", language: "de", metadata: { b: 2 } }])
    expect(await library.find("retitled", { query: "old", strategy: "lexical" })).toEqual([])
    expect(await library.find("retitled", { query: "wind", strategy: "lexical" })).toEqual([])
  })
})

describe("vectors", () => {
  const semantic = (embedding: number[]) => ({ embedding, strategy: "semantic" as const })

  test("the same document again leaves one of each", async () => {
    for (let i = 0; i < 3; i++) await library.index("again", [{ id: "d", content: "wind mill", language: "en" }])
    expect([
      await count("again", "documents"),
      await count("again", "chunks"),
      await count("again", "embeddings"),
    ]).toEqual([1, 1, 1])
  })

  test("indexed again without an embedding, the old vectors are gone", async () => {
    await library.index("gone", [{ id: "d", content: "wind mill", embedding: [1, 0, 0] }])
    await library.index("gone", [{ id: "other", content: "ship", embedding: [0, 1, 0] }])
    expect(await library.find("gone", semantic([1, 0, 0]))).toEqual(["d", "other"])
    await library.index("gone", [{ id: "d", content: "wind mill" }], { embedder: null })
    expect(await library.find("gone", semantic([1, 0, 0]))).toEqual(["other"])
    expect(await library.find("gone", { query: "wind", strategy: "lexical" })).toEqual(["d"])
  })

  test("a caller's vector takes the place of the model's, and the other way round", async () => {
    await library.index("swap", [{ id: "d", content: "wind mill" }])
    await library.index("swap", [{ id: "d", content: "wind mill", embedding: [1, 0, 0] }])
    expect(await count("swap", "embeddings")).toBe(1)
    expect(await library.find("swap", semantic([1, 0, 0]))).toEqual(["d"])
    await library.index("swap", [{ id: "d", content: "wind mill" }])
    expect(await count("swap", "embeddings")).toBe(1)
    expect(await library.find("swap", semantic([1, 0, 0]))).toEqual([])
  })

  test("a delete takes chunks and vectors along, leaves no trace in what is found, and is told once", async () => {
    await library.index("deleted", [{ id: "d", content: "wind mill" }])
    expect(await library.documents.delete("deleted", "d")).toBe(true)
    expect(await library.documents.delete("deleted", "d")).toBe(false)
    expect(await library.documents.delete("deleted", "never")).toBe(false)
    expect([await count("deleted", "chunks"), await count("deleted", "embeddings")]).toEqual([0, 0])
    expect(await library.find("deleted", "wind mill")).toEqual([])
    expect((await library.documents.list("deleted", { limit: 10 })).documents).toEqual([])
    await expect(library.documents.get("deleted", "d")).rejects.toMatchObject({ code: "not_found" })
  })

  test("chunks bring vectors of their own, and one without stays found by words", async () => {
    await library.index(
      "own",
      [{ id: "d", language: "en", chunks: [{ content: "wind", embedding: [1, 0, 0] }, { content: "mill" }] }],
      { embedder: null },
    )
    expect(await count("own", "embeddings")).toBe(1)
    const found = await library.search("own", { embedding: [1, 0, 0], query: "mill", group_by: "chunk" })
    expect(found.results.map((hit) => hit.content).sort()).toEqual(["mill", "wind"])
  })

  test("long content with a caller's vector is split only where it must be, and says where the vector stands", async () => {
    const long = "The wind turns the mill. ".repeat(2_000)
    const [outcome] = await library.tryIndex("long", [{ id: "d", content: long, embedding: [1, 0, 0] }])
    expect(outcome).toMatchObject({ indexed: { warnings: [expect.stringMatching(/^content: split into 2 chunks/)] } })
    expect(await count("long", "embeddings")).toBe(1)
    const [short] = await library.tryIndex("long", [{ id: "e", content: long.slice(0, 5_000), embedding: [1, 0, 0] }])
    expect(short).toEqual({ id: "e", indexed: { status: "indexed" } })
    expect(await chunks("long", "e")).toEqual([["c0001", long.slice(0, 5_000)]])
  })

  test("texts that the model reads only in part are counted and told", async () => {
    const short = createWordEmbedder({ maxTokens: 8 })
    const content = Array.from({ length: 30 }, (_, i) => `word${i}`).join(" ")
    const [outcome] = await library.tryIndex("cut", [{ id: "d", chunks: [{ content }, { content: "fits" }] }], {
      embedder: short,
    })
    expect(outcome).toMatchObject({
      indexed: { warnings: [expect.stringMatching(/^content: .* 1 of 2 chunks only in part/)] },
    })
  })
})

describe("batches", () => {
  test("one outcome a document, in order; the same id twice leaves the later", async () => {
    const outcomes = await library.tryIndex("batch", [
      { id: "a", content: "first wind", language: "en" },
      { id: "b", content: "mill", language: "en" },
      { id: "a", content: "second wind", language: "en" },
    ])
    expect(outcomes.map((outcome) => [outcome.id, "indexed" in outcome])).toEqual([
      ["a", true],
      ["b", true],
      ["a", true],
    ])
    expect(await chunks("batch", "a")).toEqual([["c0002", "second wind"]])
    expect(await count("batch", "documents")).toBe(2)
  })

  test("one with the wrong dimensions fails alone, naming the field", async () => {
    await library.index("clash", [{ id: "first", content: "wind", embedding: [1, 0, 0], embedding_model: "m" }])
    const outcomes = await library.tryIndex("clash", [
      { id: "good", content: "mill", language: "en" },
      { id: "bad", content: "ship", embedding: [1, 0], embedding_model: "m" },
      { id: "fine", content: "reef", language: "en" },
    ])
    expect(outcomes).toMatchObject([
      { id: "good", indexed: { status: "indexed" } },
      { id: "bad", failed: { code: "invalid_request", fields: [{ field: "embedding" }] } },
      { id: "fine", indexed: { status: "indexed" } },
    ])
    const listed = await library.documents.list("clash", { limit: 10 })
    expect(listed.documents.map((document) => document.id)).toEqual(["fine", "first", "good"])
  })

  test("two that clash with each other: the first makes the space, the second is refused", async () => {
    const outcomes = await library.tryIndex("clash2", [
      { id: "a", content: "wind", embedding: [1, 0], embedding_model: "m" },
      { id: "b", content: "mill", embedding: [1, 0, 0], embedding_model: "m" },
    ])
    expect(outcomes.map((outcome) => "indexed" in outcome)).toEqual([true, false])
    expect(await count("clash2", "documents")).toBe(1)
  })

  test("nobody can take the model's own space with vectors of other dimensions", async () => {
    const { model } = createWordEmbedder()
    const poison = { id: "poison", content: "wind", embedding: [1, 2, 3], embedding_model: model }
    const [outcome] = await library.tryIndex("poison", [poison])
    expect(outcome).toMatchObject({ failed: { code: "invalid_request", fields: [{ field: "embedding" }] } })
    await library.index("poison", [{ id: "good", content: "wind" }])
    expect(await library.find("poison", "wind")).toEqual(["good"])
  })

  test("a space that lost its last vector takes other dimensions", async () => {
    await library.index("emptied", [{ id: "a", content: "wind", embedding: [1, 2], embedding_model: "theirs" }])
    await library.documents.delete("emptied", "a")
    await library.index("emptied", [{ id: "b", content: "wind", embedding: [1, 2, 3], embedding_model: "theirs" }])
    expect(await library.find("emptied", { embedding: [1, 2, 3] })).toEqual(["b"])
  })

  test("an empty batch is nothing", async () => {
    expect(await library.tryIndex("none", [])).toEqual([])
  })
})

describe("without a model's answer", () => {
  const failing: Embedder = {
    ...words,
    embed: () => Promise.reject(new AppError("inference_unavailable", "The embedding service did not answer")),
  }

  test("a failing embedder writes nothing, and what was there stays", async () => {
    await library.index("fails", [{ id: "d", content: "wind mill", language: "en" }])
    const outcomes = await library.tryIndex(
      "fails",
      [
        { id: "d", content: "replaced" },
        { id: "e", content: "new" },
      ],
      { embedder: failing },
    )
    expect(outcomes).toMatchObject([
      { id: "d", failed: { code: "inference_unavailable" } },
      { id: "e", failed: { code: "inference_unavailable" } },
    ])
    expect(await chunks("fails", "d")).toEqual([["c0001", "wind mill"]])
    expect([await count("fails", "documents"), await count("fails", "embeddings")]).toEqual([1, 1])
  })

  test("a document with its own vector needs no model", async () => {
    await library.index("fails", [{ id: "own", content: "ship", embedding: [1, 0, 0] }], { embedder: failing })
  })

  test("an error that nobody foresaw tells the caller nothing of it", async () => {
    const broken: Embedder = { ...words, embed: () => Promise.reject(new TypeError("secret")) }
    const [outcome] = await library.tryIndex("fails", [{ id: "x", content: "wind" }], { embedder: broken })
    expect(outcome).toMatchObject({ failed: { code: "internal", message: "The document could not be indexed" } })
  })

  test("past the deadline nothing is written, even where the model never answers", async () => {
    const never: Embedder = { ...words, embed: () => new Promise(() => {}) }
    const from = performance.now()
    const outcomes = await library.tryIndex(
      "late",
      [
        { id: "a", content: "wind" },
        { id: "b", content: "mill" },
      ],
      {
        embedder: never,
        deadline: deadlineIn(300),
      },
    )
    expect(performance.now() - from).toBeLessThan(5_000)
    expect(outcomes).toMatchObject([
      { id: "a", failed: { code: "deadline_exceeded" } },
      { id: "b", failed: { code: "deadline_exceeded" } },
    ])
    expect(await count("late", "documents")).toBe(0)
  })
})

describe("languages", () => {
  test("each chunk has its own: the one given, else what is told from the text, else the document's", async () => {
    await library.index("languages", [
      {
        id: "d",
        chunks: [
          { content: "The keeper of the lighthouse walks up the stairs every evening and lights the lamp." },
          { content: "O faroleiro sobe as escadas todas as noites e acende a lâmpada para os navios que passam." },
          { content: "R-4711" },
          { content: "Der Leuchtturm", language: "de" },
        ],
      },
    ])
    const text = "select language from chunks order by ordinal"
    const [rows = []] = await library.database.batch({ tenant: "languages" }, [{ text }])
    expect(rows.map((row) => row["language"])).toEqual(["en", "pt", "en", "de"])
    expect((await library.documents.get("languages", "d")).languages).toEqual(["de", "en", "pt"])
  })
})

describe("documents", () => {
  test("are listed in the order of their ids' bytes, page by page, each once", async () => {
    const ids = ["😀", "～", "b", "B", "a/1", "é", "a"]
    await library.index(
      "list",
      ids.map((id) => ({ id, title: `t ${id}`, content: "wind", metadata: { id } })),
    )
    const listed: string[] = []
    let cursor: string | undefined
    do {
      const page = await library.documents.list("list", { limit: 2, ...(cursor && { cursor }) })
      expect(page.documents.length).toBeLessThanOrEqual(2)
      listed.push(...page.documents.map((document) => document.id))
      cursor = page.next_cursor
    } while (cursor)
    expect(listed).toEqual(["B", "a", "a/1", "b", "é", "～", "😀"])
  })

  test("a summary counts what can be found, and tells when", async () => {
    await library.index("list", [
      {
        id: "family",
        title: "T",
        parents: [{ content: "p" }],
        chunks: [{ content: "a", parent: 0 }, { content: "b" }],
        metadata: { x: [1] },
      },
    ])
    const summary = await library.documents.get("list", "family")
    expect(summary).toMatchObject({ id: "family", title: "T", chunks: 2, metadata: { x: [1] } })
    expect(summary.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Math.abs(Date.parse(summary.updated_at) - Date.now())).toBeLessThan(600_000)
  })
})

test("a model that is away fails a group after three calls, not after one for each document; a text that it refuses fails alone", async () => {
  let calls = 0
  const failing = (when: (texts: readonly string[]) => boolean): Embedder => ({
    ...words,
    async embed(texts, kind) {
      calls++
      if (when(texts)) throw new AppError("inference_unavailable", "The model does not answer.")
      return words.embed(texts, kind)
    },
  })
  const documents = Array.from({ length: 20 }, (_, i) => ({ id: `away-${i}`, content: `Entry ${i} of the log.` }))
  const codes = async (embedder: Embedder) =>
    (await library.tryIndex("away", documents, { embedder })).map((one) =>
      "failed" in one ? one.failed.code : "indexed",
    )
  expect(await codes(failing(() => true))).toEqual(Array(20).fill("inference_unavailable"))
  expect(calls).toBe(3)
  const refusing = failing((texts) => texts.some((text) => text.includes("Entry 7 ")))
  expect(await codes(refusing)).toEqual(documents.map((_, i) => (i === 7 ? "inference_unavailable" : "indexed")))
})
