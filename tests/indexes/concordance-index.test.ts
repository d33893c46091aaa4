import { afterAll, beforeAll, expect, test } from "vitest"
import { createConcordanceIndex } from "../../lib/indexes/concordance-index.ts"
import type { IndexClause, SearchIndex } from "../../lib/indexes/search-index.ts"
import { type Library, openLibrary } from "../library.ts"
import { callIn, vectorOf } from "./records.ts"

let library: Library
let index: SearchIndex
const at = callIn(60_000, "t")

beforeAll(async () => {
  library = await openLibrary()
  index = createConcordanceIndex(library.database)
  await library.index("t", [
    { id: "a", title: "Rope", content: "rope and anchor", metadata: { year: 1990 } },
    { id: "b", title: "Salt", content: "salt cod", metadata: { year: 2000 } },
  ])
  await library.index("other", [{ id: "c", content: "rope of another tenant" }])
})
afterAll(() => library.close())

test("Concordance's own chunks are searched, filtered, fetched and described as any index's", async () => {
  const vector = await vectorOf("salt cod")
  const query = { filter: [], limit: 10, withVectors: true }
  const dense = await index.searchDense({ ...query, vector }, at)
  expect(dense.map(({ payload }) => payload["document_id"])).toEqual(["b", "a"])
  expect(dense[0]?.vector).toHaveLength(64)
  const lexical = (await index.searchLexical?.({ ...query, text: "rope" }, at)) ?? []
  expect(lexical.map(({ text }) => text)).toEqual(["rope and anchor"])
  const year: IndexClause = { field: "year", path: ["metadata", "year"], operator: "gt", value: 1995 }
  expect((await index.searchDense({ ...query, vector, filter: [year] }, at)).map(({ text }) => text)).toEqual([
    "salt cod",
  ])
  const id = lexical[0]?.id ?? ""
  expect((await index.fetch([id, "999999", "x"], at)).map((one) => one.id)).toEqual([id])
  expect(await index.count(at)).toBe(2)
  expect(await index.describe(at)).toEqual({ dimensions: 64, metric: "cosine" })
  expect(await index.sample(5, at)).toHaveLength(2)
})

test("a clause that the SQL has no words for is refused", async () => {
  const clause: IndexClause = { field: "title", path: ["title"], operator: "eq", value: "x" }
  const query = { filter: [clause], limit: 5, withVectors: false, vector: await vectorOf("x") }
  await expect(index.searchDense(query, at)).rejects.toMatchObject({ code: "invalid_request" })
})
