import { describe, expect, test } from "vitest"
import { mapFields, readRecord, resolveFilter } from "./field-mapping.ts"
import type { IndexRecord } from "./search-index.ts"

function sample(payload: Record<string, unknown>, text: string | null = null, id = "7"): IndexRecord {
  return { id, text, payload, vector: null }
}

/** One record as the mapping that is guessed from it alone reads it. */
function read(record: IndexRecord) {
  return readRecord(mapFields([record], {}, "test"), record)
}

describe("layouts that other tools write are recognised", () => {
  test("LangChain in Qdrant: the text beside an object of metadata, pages from 0", () => {
    const record = sample({ page_content: "Rope", metadata: { source: "files/log.pdf", page: 0, year: 1901 } })
    expect(read(record)).toEqual({
      id: "7",
      content: "Rope",
      title: "files/log.pdf",
      documentId: "files/log.pdf",
      chunkId: "7",
      page: 1,
      parentId: null,
      language: "und",
      metadata: { source: "files/log.pdf", page: 0, year: 1901 },
    })
  })

  test("LangChain in Pinecone and Chroma: all on one level, the label of the page before its number", () => {
    expect(read(sample({ text: "Rope", source: "a.pdf", page: 4, page_label: "5" }))).toMatchObject({
      content: "Rope",
      documentId: "a.pdf",
      page: 5,
    })
    expect(read(sample({ source: "a.pdf" }, "Rope"))).toMatchObject({
      content: "Rope",
      documentId: "a.pdf",
      metadata: { source: "a.pdf" },
    })
  })

  test("LangChain's loaders in JavaScript: the page under loc", () => {
    expect(read(sample({ text: "Rope", source: "a.pdf", loc: { pageNumber: 3 } }))).toMatchObject({ page: 3 })
  })

  test("LlamaIndex: the node as a text of JSON", () => {
    const node = JSON.stringify({ text: "Rope", metadata: {}, relationships: {} })
    const record = sample({
      _node_content: node,
      _node_type: "TextNode",
      ref_doc_id: "d1",
      doc_id: "d1",
      file_name: "log.md",
    })
    expect(read(record)).toMatchObject({
      content: "Rope",
      documentId: "d1",
      title: "log.md",
      metadata: { file_name: "log.md" },
    })
    expect(read(record).metadata).not.toHaveProperty("_node_content")
  })

  test("Haystack: content beside meta", () => {
    expect(read(sample({ content: "Rope", meta: { file_path: "a/b.txt", page_number: 2 } }))).toMatchObject({
      content: "Rope",
      documentId: "a/b.txt",
      page: 2,
    })
  })

  test("Concordance's own, with parents", () => {
    const payload = { document_id: "log", chunk_id: "c0042", parent_id: "p-1", page: 7, title: "Log", language: "pt" }
    expect(read(sample(payload, "Rope"))).toMatchObject({
      documentId: "log",
      chunkId: "c0042",
      parentId: "p-1",
      page: 7,
      title: "Log",
      language: "pt",
    })
  })
})

test("what half of the samples lack is not what the field is", () => {
  const samples = [sample({ title: "x", text: "a" }), sample({ text: "b" }), sample({ text: "c", name: "n" })]
  expect(mapFields(samples, {}, "test")).toMatchObject({ content: ["text"], title: null })
})

test("a setting wins over the guess, and one that names nothing is refused with what there is", () => {
  const record = sample({ text: "wrong", inner: { words: "right" } })
  expect(readRecord(mapFields([record], { vectordbContentField: "inner.words" }, "test"), record).content).toBe("right")
  expect(() => mapFields([record], { vectordbTitleField: "headline" }, "the index")).toThrow(
    "VECTORDB_TITLE_FIELD is headline, which none of 1 records of the index has. They have text, inner.",
  )
})

test("an index without any text is refused, its fields named and no value of theirs", () => {
  const failing = () => mapFields([sample({ sku: "secret-1", price: 3 })], {}, "the index")
  expect(failing).toThrow(/known as their text. They have sku, price. Set VECTORDB_CONTENT_FIELD/)
  expect(failing).not.toThrow(/secret-1/)
})

test("one odd record is read as far as it goes", () => {
  const mapping = mapFields([sample({ text: "a", page: 1, document_id: "d" })], {}, "test")
  expect(readRecord(mapping, sample({ text: 5, page: "x", document_id: null }))).toMatchObject({
    content: "5",
    page: null,
    documentId: "7",
  })
  expect(readRecord(mapping, sample({}))).toMatchObject({ content: "", page: null, documentId: "7" })
})

test("filters ask the metadata, and document_id and language the fields that are mapped to them", () => {
  const mapping = mapFields([sample({ page_content: "a", metadata: { source: "s", lang: "en" } })], {}, "test")
  const clauses = resolveFilter(mapping, { document_id: "s", language: "en", "a.b": 1 }, "test")
  expect(clauses.map(({ path }) => path)).toEqual([
    ["metadata", "source"],
    ["metadata", "lang"],
    ["metadata", "a", "b"],
  ])
  const bare = mapFields([sample({ text: "a" })], {}, "the index")
  expect(resolveFilter(bare, { document_id: "7" }, "test")[0]?.path).toEqual([])
  expect(() => resolveFilter(bare, { language: "en" }, "the index")).toThrow(/don't say their language/)
})

test("of what Concordance wrote the fields are known, though most samples have no page, parent or metadata", () => {
  const own = {
    document_id: "log",
    chunk_id: "c0002",
    title: "Log",
    language: "pt",
    kind: "text",
    concordance_layout: 1,
  }
  const paged = sample({ ...own, page: 3, parent_id: "p", metadata: { year: 1931 } }, "Rope")
  const mapping = mapFields([sample(own, "Salt"), sample(own, "Tide"), paged], {}, "test")
  expect(readRecord(mapping, paged)).toMatchObject({ page: 3, parentId: "p", metadata: { year: 1931 } })
  expect(readRecord(mapping, sample(own, "Salt"))).toMatchObject({ documentId: "log", page: null, metadata: {} })
  expect(resolveFilter(mapping, { kind: "text", year: 1931 }, "test").map(({ path }) => path)).toEqual([
    ["kind"],
    ["metadata", "year"],
  ])
})
