import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { deadlineIn } from "../lib/deadline.ts"
import { createDocuments, type Documents } from "../lib/documents/documents.ts"
import { createIndexDocuments, type IndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { databaseCandidates } from "../lib/search/database-candidates.ts"
import { SearchRequest } from "../lib/search/request.ts"
import { createSearch, type Search } from "../lib/search/search.ts"
import { OURS, openTwoTenants, THEIRS, type TwoTenants } from "./two-tenants.ts"

// Two tenants with the same ids, through what the routes call.

let db: TwoTenants
let search: Search
let index: IndexDocuments
let documents: Documents
beforeAll(async () => {
  db = await openTwoTenants()
  search = createSearch({
    find: databaseCandidates(db.database),
    embedder: null,
    reranker: null,
    detector: null,
    settings: {
      searchStrategy: "weighted",
      searchDenseCandidates: 100,
      searchLexicalCandidates: 100,
      rerankCandidates: 50,
      retrievalLambda: 0.8,
      embedTimeoutMs: 10_000,
      rerankTimeoutMs: 10_000,
    },
  })
  index = createIndexDocuments({ database: db.database, embedder: null })
  documents = createDocuments(db.database)
})
afterAll(() => db.close())

async function find(tenant: string, request: object) {
  return (await search(tenant, SearchRequest.parse(request), deadlineIn(60_000))).response
}

async function add(tenant: string, ...requests: object[]) {
  const parsed = requests.map((request) => IndexRequest.parse(request))
  for (const outcome of await index(tenant, parsed, deadlineIn(60_000))) if ("failed" in outcome) throw outcome.failed
}

describe("two tenants with the same ids", () => {
  test.each(["rrf", "weighted", "semantic", "lexical", "two_pass"])(
    "find their own text alone, by %s",
    async (strategy) => {
      for (const group of ["document", "chunk"]) {
        const request = {
          query: "harbour keeper smuggler",
          embedding: [1, 0, 0],
          strategy,
          group_by: group,
          explain: true,
          mmr: true,
        }
        const ours = await find(OURS, request)
        const theirs = await find(THEIRS, request)
        expect(ours.results.map(({ id }) => id).sort()).toEqual(["1", "2"])
        expect(theirs.results.map(({ id }) => id).sort()).toEqual(["1", "2"])
        expect(JSON.stringify(ours)).not.toMatch(/smuggler in|brandy|theirs/i)
        expect(JSON.stringify(theirs)).not.toMatch(/keeper of|rope|ours/i)
      }
    },
  )

  test("read, list and count their own documents, and none under a name that is no tenant's", async () => {
    expect(await documents.get(OURS, "2")).toMatchObject({ id: "2", title: "Rope", chunks: 1 })
    expect(await documents.get(THEIRS, "2")).toMatchObject({ id: "2", title: "Brandy", chunks: 1 })
    const titles = async (tenant: string) =>
      (await documents.list(tenant, { limit: 10 })).documents.map(({ title }) => title)
    expect([await titles(OURS), await titles(THEIRS), await titles("nobody"), await titles("")]).toEqual([
      ["Harbour", "Rope"],
      ["Harbour", "Brandy"],
      [],
      [],
    ])
    await expect(documents.get("nobody", "1")).rejects.toMatchObject({ code: "not_found" })
  })

  test("cannot go on in each other's lists: a cursor belongs to its tenant", async () => {
    const { next_cursor: cursor = "" } = await documents.list(OURS, { limit: 1 })
    await expect(documents.list(THEIRS, { limit: 1, cursor })).rejects.toMatchObject({ code: "invalid_request" })
  })

  test("score by their own words: a tenant's scores are the same to the last bit after the other grew", async () => {
    const requests = [
      { query: "harbour keeper rope", strategy: "lexical", explain: true },
      { query: "harbour light store", embedding: [0.7, 0.7, 0], strategy: "weighted", explain: true },
    ]
    const ask = async () => ({
      answers: await Promise.all(requests.map((request) => find(OURS, request))),
      query: await db.database.batch({ tenant: OURS }, [
        { text: "select weights, matching, fallback, required, terms from lexical_query('harbour keeper rope tar')" },
      ]),
    })
    const before = await ask()
    const words = ["harbour", "keeper", "rope", "tar", "light", "store"]
    const grown = Array.from({ length: 60 }, (_, i) => ({
      id: `grown ${i}`,
      content: words.filter((_, w) => (i >> (w % 6)) % 2 === 0).join(" ") || "nothing",
      embedding: [i, 1, 1],
    }))
    await add(THEIRS, ...grown)
    expect(await ask()).toEqual(before)
    for (const { id } of grown) await documents.delete(THEIRS, id)
    expect(await ask()).toEqual(before)
  })

  test("delete their own: the other's document of that id stays, found and read as before", async () => {
    await add(OURS, { id: "gone", content: "harbour gone", embedding: [0, 0, 1] })
    await add(THEIRS, { id: "gone", content: "harbour stays", embedding: [0, 0, 1] })
    expect(await documents.delete(OURS, "gone")).toBe(true)
    expect(await documents.delete(OURS, "gone")).toBe(false)
    await expect(documents.get(OURS, "gone")).rejects.toMatchObject({ code: "not_found" })
    expect(await documents.get(THEIRS, "gone")).toMatchObject({ chunks: 1 })
    const request = { query: "stays gone", embedding: [0, 0, 1], strategy: "rrf" }
    expect((await find(THEIRS, request)).results[0]).toMatchObject({
      id: "gone",
      content: "harbour stays",
      similarity: 1,
    })
    expect((await find(OURS, request)).results.map(({ id }) => id)).not.toContain("gone")
  })
})
