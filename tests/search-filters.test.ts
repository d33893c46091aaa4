import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Filter } from "../lib/search/filter.ts"
import { type Library, openLibrary } from "./library.ts"

// A filter holds for both lists, and is not a hint: nothing outside it is found, and everything inside it can be.

let library: Library

beforeAll(async () => {
  library = await openLibrary()
  await library.index("library", [
    {
      id: "report/1998",
      content: "wind mill report",
      language: "en",
      metadata: { year: 1998, tags: ["sea", "reef"], author: { name: "Ana", city: null } },
    },
    {
      id: "report/2003",
      content: "wind mill report",
      language: "en",
      metadata: { year: 2003, tags: ["hill"], draft: true },
    },
    { id: "relatório", content: "wind mill relatório", language: "pt", metadata: { year: 2010, title: 'a "b" \\ c' } },
    {
      id: "table",
      language: "en",
      metadata: { year: 1975, source: "document" },
      chunks: [
        {
          content: "wind mill table",
          kind: "table",
          anomalies: [{ kind: "second-hand", note: "In capitals." }],
          metadata: { source: "chunk", row: 7 },
        },
        { content: "wind mill prose", kind: "text" },
      ],
    },
  ])
})
afterAll(() => library.close())

const ALL = ["relatório", "report/1998", "report/2003", "table"]

describe.each(["semantic", "lexical", "rrf", "weighted", "two_pass"] as const)("%s", (strategy) => {
  const find = async (filter: Filter) =>
    (await library.find("library", { query: "wind mill", strategy, filter })).sort()

  test.each<[filter: Filter, expected: string[]]>([
    [{}, ALL],
    [{ year: 1998 }, ["report/1998"]],
    [{ year: { in: [1998, 2003] } }, ["report/1998", "report/2003"]],
    [{ year: { gte: 1998, lt: 2010 } }, ["report/1998", "report/2003"]],
    [{ draft: { exists: true } }, ["report/2003"]],
    [{ draft: { exists: false } }, ["relatório", "report/1998", "table"]],
    [{ tags: "reef" }, ["report/1998"]],
    [{ tags: { in: ["hill", "reef"] } }, ["report/1998", "report/2003"]],
    [{ "author.name": "Ana" }, ["report/1998"]],
    [{ "author.city": null }, ["report/1998"]],
    [{ title: 'a "b" \\ c' }, ["relatório"]],
    [{ document_id: "report/2003" }, ["report/2003"]],
    [{ document_id: { in: ["relatório", "table", "absent"] } }, ["relatório", "table"]],
    [{ kind: "table" }, ["table"]],
    [{ anomaly: "second-hand" }, ["table"]],
    [{ anomaly: { in: ["spelling", "second-hand"] } }, ["table"]],
    [{ anomaly: "spelling" }, []],
    [{ anomaly: { exists: true } }, ["table"]],
    [{ anomaly: { exists: false } }, ALL],
    [{ language: "pt" }, ["relatório"]],
    [{ row: 7 }, ["table"]],
    [{ source: "chunk" }, ["table"]],
    [{ year: 1998, draft: true }, []],
    [{ absent: "x" }, []],
  ])("%j: %j", async (filter, expected) => {
    expect(await find(filter)).toEqual(expected)
  })
})

test("what a chunk says of itself wins over what its document says", async () => {
  const find = (filter: Filter) => library.search("library", { query: "wind mill", group_by: "chunk", filter })
  expect((await find({ source: "chunk" })).results).toMatchObject([{ id: "table", content: "wind mill table" }])
  expect((await find({ source: "document" })).results).toMatchObject([{ id: "table", content: "wind mill prose" }])
})

test("a hit says its chunk's kind, and what is odd about it where something is", async () => {
  const find = async (filter: Filter) =>
    (await library.search("library", { query: "wind mill", group_by: "chunk", filter })).results
  const [odd] = await find({ anomaly: "second-hand" })
  expect(odd).toMatchObject({ kind: "table", anomalies: ["second-hand"] })
  const [plain] = await find({ document_id: "report/1998" })
  expect(plain).toMatchObject({ kind: "text" })
  expect(plain).not.toHaveProperty("anomalies")
})

test("a filter that leaves few of many finds them all, deep below where an unfiltered list ends", async () => {
  const documents = Array.from({ length: 400 }, (_, i) => ({
    id: `d${i}`,
    // The rarer the match, the worse its rank: `rare` ones come last in both lists.
    content: i % 100 === 0 ? "wind and much else beside the point of the question" : "wind wind wind",
    language: "en",
    metadata: { rare: i % 100 === 0 },
  }))
  await library.index("deep", documents)
  const settings = { searchDenseCandidates: 10, searchLexicalCandidates: 10 }
  for (const strategy of ["semantic", "lexical"] as const) {
    const request = { query: "wind", strategy, top_k: 10 }
    expect(await library.find("deep", request, { settings })).not.toContain("d0")
    const found = await library.find("deep", { ...request, filter: { rare: true } }, { settings })
    expect(found.sort()).toEqual(["d0", "d100", "d200", "d300"])
  }
})
