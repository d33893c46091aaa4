import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { deadlineIn } from "../../lib/deadline.ts"
import type { AppError } from "../../lib/errors.ts"
import { createCollection } from "../../lib/indexes/collection.ts"
import { matchesFilter } from "../../lib/indexes/filter-clause.ts"
import { indexCandidates } from "../../lib/indexes/index-candidates.ts"
import { createReadPassage } from "../../lib/indexes/read-passage.ts"
import type { NewRecord, SearchIndex } from "../../lib/indexes/search-index.ts"
import type { Tenancy } from "../../lib/indexes/tenancy.ts"
import { randomFrom } from "../../lib/random.ts"
import { SearchRequest } from "../../lib/search/request.ts"
import { createSearch } from "../../lib/search/search.ts"
import { dot } from "../../lib/vector.ts"
import { randomFilter, randomPayload } from "./random-filters.ts"
import { callIn, DIMENSIONS, embedder, manyRecords, record, uuid, vectorOf } from "./records.ts"

/** An engine that the suite is run against. */
export interface IndexSubject {
  /** An index of a collection of that name. The suite makes and removes it. */
  open(collection: string): Promise<SearchIndex>
  /** One whose server isn't there. */
  away(): SearchIndex
  /** One whose server is there and refuses its key, which is `wrong-key`. */
  refused(): SearchIndex
  /** One whose server takes connections and never answers. */
  silent(): SearchIndex
  close(): Promise<void>
}

const SETTINGS = {
  searchStrategy: "rrf",
  searchDenseCandidates: 100,
  searchLexicalCandidates: 100,
  rerankCandidates: 50,
  retrievalLambda: 0.8,
  embedTimeoutMs: 30_000,
  rerankTimeoutMs: 30_000,
} as const

type SearchInput = Parameters<typeof SearchRequest.parse>[0] & object

/** The product's own search over the index. */
function searchOf(
  index: SearchIndex,
  { parents = null as SearchIndex | null, tenancy = { mode: "single", tenant: "primary" } as Tenancy } = {},
) {
  const options = { settings: {}, model: embedder }
  const search = createSearch({
    find: indexCandidates({
      children: createCollection(index, options),
      parents: parents && createCollection(parents, { ...options, model: null }),
      tenancy,
      nativeHybrid: false,
    }),
    wordsNeedVector: index.searchLexical === undefined,
    embedder,
    reranker: null,
    detector: null,
    settings: SETTINGS,
  })
  return async (request: SearchInput, tenant = "primary") =>
    (await search(tenant, SearchRequest.parse(request), deadlineIn(30_000))).response
}

/** What every `SearchIndex` does, whichever the engine, alone and under the pipeline. */
export function describeBehaviour(engine: string, openSubject: () => Promise<IndexSubject>): void {
  describe(`${engine}: a SearchIndex`, () => {
    let subject: IndexSubject
    const opened: SearchIndex[] = []
    let count = 0

    beforeAll(async () => {
      subject = await openSubject()
    })
    afterAll(async () => {
      for (const index of opened) {
        await index.reset?.(callIn())
        await index.close()
      }
      await subject?.close()
    })

    /** A collection of its own that holds the records. */
    async function filled(records: readonly NewRecord[], partition: string | null = null): Promise<SearchIndex> {
      count++
      const index = await subject.open(`concordance_test_${count}`)
      opened.push(index)
      await index.ensureCollection?.(DIMENSIONS, callIn(60_000, partition))
      if (records.length > 0) await index.upsert?.(records, callIn(60_000, partition))
      return index
    }

    test("its dense list is that of the exact cosines", async () => {
      const records = await manyRecords(300)
      const index = await filled(records)
      const vector = await vectorOf("lighthouse keeper fog bell")
      const found = await index.searchDense({ vector, limit: 10, filter: [], withVectors: true }, callIn())
      const exact = records.map((one) => dot(vector, one.vector)).toSorted((a, b) => b - a)
      expect(found).toHaveLength(10)
      for (const [i, { id, score, vector: stored }] of found.entries()) {
        expect(score).toBeCloseTo(exact[i] ?? 0, 2)
        const written = records.find((one) => one.id === id)
        expect(score).toBeCloseTo(dot(vector, written?.vector ?? []), 2)
        if (index.capabilities.vectors) expect(dot(stored ?? [], written?.vector ?? [])).toBeGreaterThan(0.99)
      }
    })

    test("words find what holds them, and the response says when it is by a substitute", async () => {
      const index = await filled([
        ...(await manyRecords(50)),
        await record(900, "the binnacle was lost", { title: "Binnacle" }),
      ])
      const search = searchOf(index)
      for (const strategy of ["lexical", "rrf", "weighted"] as const) {
        const { results, degraded = [] } = await search({ query: "where is the binnacle?", strategy })
        expect(results[0]?.id, strategy).toBe("doc-900")
        expect(results[0]?.text_rank).toBeGreaterThan(0)
        expect(degraded.some((note) => note.startsWith("words: "))).toBe(index.searchLexical === undefined)
      }
    })

    test("a phrase must stand in a hit, and an excluded word must not", async () => {
      const index = await filled([
        await record(1, "salt cod and dried fish"),
        await record(2, "cod with salt"),
        await record(3, "dried fish"),
      ])
      const search = searchOf(index)
      const find = async (query: string) => (await search({ query })).results.map(({ id }) => id).toSorted()
      expect(await find('"salt cod"')).toEqual(["doc-1"])
      expect(await find("cod -dried")).toEqual(["doc-2"])
    })

    test("every strategy ranks, fuses and explains", async () => {
      const search = searchOf(await filled(await manyRecords(120)))
      for (const strategy of ["rrf", "weighted", "semantic", "two_pass", "lexical"] as const) {
        const {
          results,
          strategy: ran,
          explain,
        } = await search({ query: "storm compass", strategy, explain: true, highlight: true })
        expect(ran).toBe(strategy)
        expect(results).toHaveLength(10)
        expect(results.map(({ score }) => score)).toEqual(results.map(({ score }) => score).toSorted((a, b) => b - a))
        expect(explain?.map(({ stage }) => stage)).toEqual(["dense", "lexical", "fuse"])
        const [best] = results
        expect(best?.content).toMatch(/storm|compass/)
        expect(best?.highlights?.length).toBeGreaterThan(0)
        expect(best?.citation).toBe(`[[${best?.id}#c0001]]`)
      }
    })

    test("pages of results follow from each other", async () => {
      const search = searchOf(await filled(await manyRecords(60)))
      const all = await search({ query: "anchor tide", top_k: 20 })
      const first = await search({ query: "anchor tide", top_k: 10 })
      const second = await search({ query: "anchor tide", top_k: 10, cursor: first.next_cursor })
      expect([...first.results, ...second.results].map(({ id }) => id)).toEqual(all.results.map(({ id }) => id))
    })

    test("hits come with document, page and title, one a document, and diversified when asked", async () => {
      const chunks = [
        await record(1, "rope and anchor", { document_id: "log", chunk_id: "c0001", page: 7, title: "Log" }),
        await record(2, "rope and anchor again", { document_id: "log", chunk_id: "c0002", page: 8, title: "Log" }),
        await record(3, "rope with lantern", { document_id: "list", chunk_id: "c0001", page: 1, title: "List" }),
      ]
      const search = searchOf(await filled(chunks))
      const { results } = await search({ query: "rope anchor" })
      expect(results.map(({ citation }) => citation)).toEqual(["[[log/p007#c0001]]", "[[list/p001#c0001]]"])
      expect(results[0]).toMatchObject({ title: "Log", content: "rope and anchor", page: 7 })
      const diverse = await search({ query: "rope anchor", group_by: "chunk", mmr: true, lambda: 0.1 })
      expect(diverse.results.slice(0, 2).map(({ id }) => id)).toEqual(["log", "list"])
    })

    test("a filter means to the engine what it means in memory, or is refused in words", {
      timeout: 120_000,
    }, async () => {
      const random = randomFrom(3)
      const records = await Promise.all(
        Array.from({ length: 150 }, async (_, i) => record(i, `text ${i}`, randomPayload(random))),
      )
      const index = await filled(records)
      const kept = new Map(
        (
          await index.fetch(
            records.map(({ id }) => id),
            callIn(),
          )
        ).map((one) => [one.id, one]),
      )
      expect(kept.size).toBe(records.length)
      const vector = await vectorOf("text")
      let answered = 0
      for (let i = 0; i < 200; i++) {
        const filter = randomFilter(random)
        const found = await index
          .searchDense({ vector, limit: 1_000, filter, withVectors: false }, callIn())
          .catch((error: unknown) => {
            expect(error).toMatchObject({ code: "invalid_request" })
            const message = (error as AppError).message
            expect(message).toContain(index.engine)
            expect(filter.some(({ field, operator }) => message.startsWith(`filter.${field}: ${operator} `))).toBe(true)
            return null
          })
        if (!found) continue
        answered++
        const expected = [...kept.values()].filter((one) => matchesFilter(filter, one)).map(({ id }) => id)
        expect(found.map(({ id }) => id).toSorted(), JSON.stringify(filter)).toEqual(expected.toSorted())
      }
      expect(answered).toBeGreaterThan(60)
    })

    test("an operator that it names can be asked, and one that it doesn't is refused", async () => {
      const index = await filled([await record(1, "one", { n: 3 })])
      const vector = await vectorOf("one")
      const asks = { eq: 3, in: [3, 4], gt: 2, gte: 3, lt: 4, lte: 3, exists: true }
      for (const [operator, value] of Object.entries(asks)) {
        const filter = [{ field: "n", path: ["n"], operator, value } as never]
        const found = index.searchDense({ vector, limit: 5, filter, withVectors: false }, callIn())
        if (index.capabilities.filters.includes(operator as never)) expect(await found).toHaveLength(1)
        else await expect(found).rejects.toMatchObject({ code: "invalid_request" })
      }
    })

    test("words are filtered as meaning is", async () => {
      const index = await filled([
        await record(1, "red sail", { year: 1990 }),
        await record(2, "red sail", { year: 2000 }),
      ])
      const search = searchOf(index)
      for (const strategy of ["lexical", "semantic", "rrf", "weighted", "two_pass"] as const) {
        const { results } = await search({ query: "red sail", strategy, filter: { year: { gt: 1995 } } })
        expect(
          results.map(({ id }) => id),
          strategy,
        ).toEqual(["doc-2"])
      }
      const own = await search({ query: "red sail", filter: { document_id: "doc-1" } })
      expect(own.results.map(({ id }) => id)).toEqual(["doc-1"])
    })

    test("ids that aren't there are left out", async () => {
      const index = await filled([await record(1, "one"), await record(2, "two")])
      const found = await index.fetch([uuid(2), uuid(77), "no'\"such id", "", uuid(1)], callIn())
      expect(found.map(({ id }) => id).toSorted()).toEqual([uuid(1), uuid(2)])
      expect(await index.fetch([], callIn())).toEqual([])
      expect(await index.fetch([uuid(77)], callIn())).toEqual([])
    })

    test("text of any script comes back as it went in, and filters find it", async () => {
      const texts = [
        "naïve café — 「東京」",
        "שלום עולם",
        "e\u0301 vs é",
        "👩‍👩‍👧 \u200b end",
        "a'b\"c\\d%e_f\n\tg",
        "$1 {x} [y] --z /*",
      ]
      const index = await filled(
        await Promise.all(texts.map((text, i) => record(i, text, { note: text, title: text }))),
      )
      const found = await index.fetch(
        texts.map((_, i) => uuid(i)),
        callIn(),
      )
      const byId = new Map(found.map((one) => [one.id, one]))
      const search = searchOf(index)
      for (const [i, text] of texts.entries()) {
        expect(byId.get(uuid(i))?.payload["note"]).toBe(text)
        const { results } = await search({ query: "x", strategy: "semantic", filter: { note: text } })
        expect(results.map(({ content, title }) => [content, title])).toEqual([[text, text]])
      }
    })

    test("10,000 records are written, counted and found, and writing them again changes nothing", {
      timeout: 120_000,
    }, async () => {
      const records = await manyRecords(10_000)
      const index = await filled(records)
      const vector = await vectorOf("oyster net trawler number4711")
      const find = async () => {
        const found = await index.searchDense({ vector, limit: 10, filter: [], withVectors: false }, callIn())
        return found.map(({ id }) => id)
      }
      const exact = records
        .map((one) => ({ id: one.id, score: dot(vector, one.vector) }))
        .toSorted((a, b) => b.score - a.score)
      const nearest = new Set(exact.slice(0, 10).map(({ id }) => id))
      const first = await find()
      expect(first.filter((id) => nearest.has(id)).length).toBeGreaterThanOrEqual(9)
      expect(await index.count(callIn())).toBe(10_000)
      await index.upsert?.(records.slice(0, 1_500), callIn())
      expect(await index.count(callIn())).toBe(10_000)
      expect(await find()).toEqual(first)
      const { results } = await searchOf(index)({ query: "number4711 oyster", strategy: "weighted" })
      expect(results).toHaveLength(10)
    })

    test("a record that is written anew keeps nothing of the old, and a deleted one is found no more", async () => {
      const index = await filled([await record(1, "old text", { old: 1, both: 1 }), await record(2, "other")])
      await index.upsert?.([await record(1, "new text", { both: 2 })], callIn())
      const [found] = await index.fetch([uuid(1)], callIn())
      expect(found?.payload).toEqual({ document_id: "doc-1", chunk_id: "c0001", both: 2 })
      await index.delete?.([uuid(1), uuid(99)], callIn())
      const left = await index.searchDense(
        { vector: await vectorOf("new text"), limit: 5, filter: [], withVectors: false },
        callIn(),
      )
      expect(left.map(({ id }) => id)).toEqual([uuid(2)])
    })

    test("an empty collection finds nothing, and one that isn't there is told", async () => {
      const empty = await filled([])
      expect(await empty.count(callIn())).toBe(0)
      expect(await empty.sample(3, callIn())).toEqual([])
      const { results } = await searchOf(empty)({ query: "anything" })
      expect(results).toEqual([])
      const absent = await subject.open("concordance_test_absent")
      opened.push(absent)
      expect(await absent.describe(callIn())).toBeNull()
      await expect(searchOf(absent)({ query: "anything" })).rejects.toMatchObject({ code: "not_found" })
    })

    test("children become their parents, once each, and a lost parent leaves its child", async () => {
      const parents = await filled([
        await record(100, "the whole chapter on ropes and knots", { document_id: "book", chunk_id: "p0001", page: 3 }),
      ])
      const children = await filled([
        await record(1, "ropes", { document_id: "book", parent_id: uuid(100) }),
        await record(2, "ropes and knots", { document_id: "book", chunk_id: "c0002", parent_id: uuid(100) }),
        await record(3, "ropes alone", { document_id: "other", parent_id: uuid(101) }),
      ])
      const { results, degraded = [] } = await searchOf(children, { parents })({
        query: "ropes",
        group_by: "chunk",
        expand_parents: true,
      })
      expect(results.map(({ content }) => content).toSorted()).toEqual([
        "ropes alone",
        "the whole chapter on ropes and knots",
      ])
      expect(results.map(({ citation }) => citation)).toContain("[[book/p003#p0001]]")
      expect(degraded.filter((note) => note.startsWith("expand: 1 of 2 parents"))).toHaveLength(1)
    })

    test("a citation is read back: by the names that payloads have, or by the record's id, and a parent's too", async () => {
      const parents = await filled([await record(100, "the whole chapter", { document_id: "book", chunk_id: "p0001" })])
      const index = await filled([
        await record(1, "rope", { document_id: "book", chunk_id: "c0001", owner: "a" }),
        await record(2, "tar", { document_id: "book", chunk_id: "c0002", owner: "a" }),
        await record(3, "salt", { document_id: "other", chunk_id: "c0001", owner: "a" }),
        await record(4, "hemp", { document_id: "4711", chunk_id: "12", owner: "b" }),
      ])
      const settings = { settings: {}, model: null }
      const reader = (tenancy: Tenancy) => {
        const [children, own] = [createCollection(index, settings), createCollection(parents, settings)]
        const read = createReadPassage({ children, parents: own, tenancy })
        return async (documentId: string, chunkId: string, tenant = "primary") =>
          (await read(tenant, { documentId, chunkId }, 30_000))?.content ?? null
      }
      const read = reader({ mode: "single", tenant: "primary" })
      expect(await read("book", "c0002")).toBe("tar")
      expect(await read("other", "c0001")).toBe("salt")
      expect(await read("4711", "12")).toBe("hemp")
      expect(await read("book", "p0001")).toBe("the whole chapter")
      expect(await read("other", "c0002")).toBeNull()
      expect(await read("book", "c0001", "another")).toBeNull()
      const byOwner = reader({ mode: "field", field: "owner" })
      expect(await byOwner("book", "c0001", "a")).toBe("rope")
      expect(await byOwner("book", "c0001", "b")).toBeNull()
    })

    test("a tenant sees what is its own, by field, by partition or alone", async () => {
      const index = await filled([
        await record(1, "shared words", { owner: "a" }),
        await record(2, "shared words", { owner: "b" }),
      ])
      const byField = searchOf(index, { tenancy: { mode: "field", field: "owner" } })
      expect((await byField({ query: "shared words" }, "a")).results.map(({ id }) => id)).toEqual(["doc-1"])
      expect((await byField({ query: "shared words", filter: { owner: "b" } }, "a")).results).toEqual([])
      expect((await byField({ query: "shared words" }, "c")).results).toEqual([])
      await expect(searchOf(index)({ query: "shared words" }, "a")).rejects.toMatchObject({ code: "forbidden" })
      if (index.capabilities.partitions === null) return
      await index.ensureCollection?.(DIMENSIONS, callIn(60_000, "tenant é/1"))
      await index.upsert?.([await record(3, "shared words")], callIn(60_000, "tenant é/1"))
      const byPartition = searchOf(index, { tenancy: { mode: "partition" } })
      expect((await byPartition({ query: "shared words" }, "tenant é/1")).results.map(({ id }) => id)).toEqual([
        "doc-3",
      ])
      await index.reset?.(callIn(60_000, "tenant é/1"))
    })

    test("a parent of another tenant isn't shown", async () => {
      const parents = await filled([await record(100, "secret of b", { owner: "b" })])
      const children = await filled([await record(1, "child of a", { owner: "a", parent_id: uuid(100) })])
      const search = searchOf(children, { parents, tenancy: { mode: "field", field: "owner" } })
      const { results } = await search({ query: "child", expand_parents: true }, "a")
      expect(results.map(({ content }) => content)).toEqual(["child of a"])
    })

    test("vectors of another length are refused, and both lengths named", async () => {
      const index = await filled([await record(1, "one")])
      const collection = createCollection(index, { settings: {}, model: { model: "big", dimensions: 768 } })
      await expect(collection.layout(callIn())).rejects.toThrow(/64 dimensions.*big have 768/)
      const request = searchOf(index)({ embedding: [1, 2, 3] })
      await expect(request).rejects.toMatchObject({ code: "invalid_request" })
    })

    test("a server that isn't there is told as that", async () => {
      const index = subject.away()
      opened.push({ ...index, reset: async () => undefined })
      await expect(index.health(AbortSignal.timeout(20_000))).rejects.toMatchObject({ code: "index_unavailable" })
      await expect(searchOf(index)({ query: "x" })).rejects.toMatchObject({ code: "index_unavailable" })
    })

    test("a key that is refused is told as that, without the key", async () => {
      const index = subject.refused()
      opened.push({ ...index, reset: async () => undefined })
      const failure = await index.health(AbortSignal.timeout(20_000)).catch((error: unknown) => error as AppError)
      expect(failure).toMatchObject({ code: "index_unavailable", message: expect.stringMatching(/refused|URL|key/i) })
      expect(JSON.stringify([(failure as AppError).message, String((failure as AppError).cause)])).not.toContain(
        "wrong-key",
      )
    })

    test("a server that doesn't answer holds nobody longer than was allowed", async () => {
      const index = subject.silent()
      opened.push({ ...index, reset: async () => undefined })
      const began = performance.now()
      const vector = await vectorOf("x")
      const query = { vector, limit: 5, filter: [], withVectors: false }
      const late = index.searchDense(query, { partition: null, signal: deadlineIn(300).signal })
      await expect(late).rejects.toMatchObject({ code: "deadline_exceeded" })
      expect(performance.now() - began).toBeLessThan(5_000)
    })
  })
}
