import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parseConfig } from "../../lib/config.ts"
import { deadlineIn } from "../../lib/deadline.ts"
import type { IngestOptions } from "../../lib/documents/ingest/upload.ts"
import { openForeignSearch } from "../../lib/indexes/open-foreign-search.ts"
import { openEngine } from "../../lib/indexes/open-index.ts"
import type { PublishedTally, PublishOptions } from "../../lib/indexes/publish/create-publication.ts"
import { openPublication } from "../../lib/indexes/publish/open-publication.ts"
import { recordId } from "../../lib/indexes/publish/record-id.ts"
import { passageModel } from "../../lib/runtime/open-publication.ts"
import { SearchRequest } from "../../lib/search/request.ts"
import { createSearch } from "../../lib/search/search.ts"
import { type Ingesting, openIngesting } from "../ingesting.ts"
import { createWordEmbedder } from "../word-embedder.ts"
import { WRITABLE_ENGINES, type WritableEngine } from "./publish-engines.ts"
import { callIn, embedder, record } from "./records.ts"

let shelf: Ingesting
/** Of samples, each in two pages. */
const SAMPLES: Record<string, string> = {}

beforeAll(async () => {
  shelf = await openIngesting()
  for (const name of ["letter-cable-break-1907.md", "reading-room-rules.md"]) {
    const lines = (await readFile(new URL(`../../samples/en/${name}`, import.meta.url), "utf8")).split("\n")
    const half = Math.ceil(lines.length / 2)
    SAMPLES[name.replace(/\..*/, "")] = `${lines.slice(0, half).join("\n")}\f${lines.slice(half).join("\n")}`
  }
})
afterAll(() => shelf.close())

async function ingest(tenant: string, id: string, text: string, options: Partial<IngestOptions> = {}): Promise<void> {
  await shelf.add(tenant, id, text, options)
  await shelf.worker().run(tenant, id)
}

interface Run extends Partial<PublishOptions> {
  readonly model?: typeof embedder
  readonly signal?: AbortSignal
}

/** One engine with the settings of a product that writes into it and searches it. */
function productOver(engine: string, started: () => WritableEngine) {
  const settingsOf = (more: Record<string, string>) =>
    parseConfig({ VECTORDB_PROVIDER: engine, ...started().environment, ...more })
  const open: typeof openEngine = async (settings) => started().opened ?? openEngine(settings)
  return {
    async publish(
      tenant: string,
      ids: readonly string[],
      more: Record<string, string> = {},
      run: Run = {},
    ): Promise<PublishedTally> {
      const settings = settingsOf(more)
      const { model = embedder, signal = new AbortController().signal, others = true, ...options } = run
      const publication = await openPublication({
        ...{ settings, tenant, signal, database: shelf.database },
        engine: await open(settings),
        model: passageModel(model),
      })
      try {
        return await publication.publish(ids, { others, ...options })
      } finally {
        await publication.close()
      }
    },
    async search(
      tenant: string,
      request: Parameters<typeof SearchRequest.parse>[0] & object,
      more: Record<string, string> = {},
    ) {
      const settings = settingsOf(more)
      const { find, wordsNeedVector, close } = await openForeignSearch(settings, embedder, open)
      const search = createSearch({ find, wordsNeedVector, embedder, reranker: null, detector: null, settings })
      try {
        return (await search(tenant, SearchRequest.parse(request), deadlineIn(30_000))).response
      } finally {
        await close()
      }
    },
    /** All that a collection holds, by id. */
    async content(more: Record<string, string> = {}, partition: string | null = null) {
      const settings = settingsOf(more)
      const { open: at, close } = await open(settings)
      const read = async (name: string | null) => {
        const records = name === null ? [] : await at(name).sample(100, callIn(60_000, partition))
        return records.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      }
      const held = {
        children: await read(settings.retrievalCollection),
        parents: await read(settings.parentExpansionCollection),
      }
      await close()
      return held
    },
    open: async (name: string) => (await open(settingsOf({}))).open(name),
  }
}

/** Ids that the records of a document must have: those of its chunks here. */
async function idsOf(tenant: string, searchable: boolean): Promise<string[]> {
  const rows = await shelf.rows(
    "select document_id, id from chunks where source_account_id = $1 and searchable = ($2 = 'yes')",
    [tenant, searchable ? "yes" : "no"],
  )
  return rows.map((row) => recordId(tenant, String(row["document_id"]), String(row["id"]))).sort()
}

const idsIn = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)
const IDS = ["letter-cable-break-1907", "reading-room-rules"]
/** Chunks of two pages of an answer, the second of them short. */
const LONG = Array.from({ length: 70 }, (_, i) => `entry ${i} of the ledger`).join("\n")

describe.each(Object.entries(WRITABLE_ENGINES))("ingest --into %s", (engine, start) => {
  let started: WritableEngine
  beforeAll(async () => {
    started = await start()
  })
  afterAll(() => started?.close())
  const { publish, search, content, open } = productOver(engine, () => started)
  const collections = (name: string, more: Record<string, string> = {}) => ({
    RETRIEVAL_COLLECTION: `${name}_docs`,
    PARENT_EXPANSION_COLLECTION: `${name}_parents`,
    VECTORDB_TENANT: name,
    ...more,
  })

  test("what is ingested is found there with document, chunk, page and citation, and expands to its parent; a repeat changes nothing", async () => {
    const at = collections("found")
    for (const id of IDS)
      await ingest("found", id, SAMPLES[id] ?? "", { title: `Title of ${id}`, metadata: { box: 7 } })
    const seen: number[][] = []
    const tally = await publish("found", IDS, at, { onProgress: (done, total) => seen.push([done, total]) })
    const [children, parents] = [await idsOf("found", true), await idsOf("found", false)]
    const records = children.length + parents.length
    expect(tally).toEqual({ written: 2, unchanged: 0, removed: 0, records, truncated: 0 })
    expect(seen.at(-1)).toEqual([records, records])

    const first = await content(at)
    expect([idsIn(first.children), idsIn(first.parents)]).toEqual([children, parents])
    const query = "fishing fleet charts trawl skipper net"
    const own = (await shelf.search("found", { query, strategy: "lexical", group_by: "chunk" })).results[0]
    const response = await search(
      "found",
      { query, strategy: "lexical", group_by: "chunk", filter: { kind: "text" } },
      at,
    )
    expect(own).toMatchObject({ id: IDS[0], page: 2, title: `Title of ${IDS[0]}` })
    const { id, chunk_id, page, citation, title, content: text, language, metadata } = own ?? {}
    const kept = engine === "weaviate" ? {} : metadata
    expect(response.results[0]).toMatchObject({
      id,
      chunk_id,
      page,
      citation,
      title,
      content: text,
      language,
      metadata: kept,
    })
    const expanded = await search("found", { query, strategy: "lexical", group_by: "chunk", expand_parents: true }, at)
    expect(expanded.results[0]?.content).toContain("cable number three went dead")
    expect(expanded.degraded?.filter((note) => note.startsWith("expand")) ?? []).toEqual([])

    expect(await publish("found", IDS, at)).toEqual({ written: 0, unchanged: 2, removed: 0, records: 0, truncated: 0 })
    expect(await content(at)).toEqual(first)
    // The same when it is written for a second time, by somebody who knows nothing of the first.
    await shelf.rows("delete from index_publications where source_account_id = 'found'")
    expect(await publish("found", IDS, at)).toMatchObject({ written: 2, records })
    expect(await content(at)).toEqual(first)
  })

  test("a document that changed drops its old chunks there, one that was deleted all of them, though neither is named", async () => {
    const at = collections("changed")
    for (const id of IDS) await ingest("changed", id, "A line.\nA second.\nA third.")
    await publish("changed", IDS, at)
    const old = await content(at)
    await ingest("changed", IDS[0] ?? "", "Another text.\nOf two lines.")
    await ingest("changed", "third", "Not asked for.")
    expect(await publish("changed", [], at)).toMatchObject({ written: 1, unchanged: 1, removed: 0 })
    const here = (await idsOf("changed", true)).filter((id) => id !== recordId("changed", "third", "c0002"))
    const now = await content(at)
    expect(idsIn(now.children)).toEqual(here)
    expect(now.children.length).toBeLessThan(old.children.length)
    expect(now.parents).toHaveLength(2)

    await shelf.documents.delete("changed", IDS[0] ?? "")
    await shelf.documents.delete("changed", IDS[1] ?? "")
    expect(await publish("changed", [IDS[1] ?? ""], at, { others: false })).toMatchObject({ removed: 1 })
    expect((await content(at)).children).toHaveLength(2)
    expect(await publish("changed", [], at)).toMatchObject({ written: 0, unchanged: 0, removed: 1 })
    expect(await content(at)).toEqual({ children: [], parents: [] })
  })

  test("what a killed process left half written is completed by the next, and what changed meanwhile leaves nothing behind", async () => {
    const at = collections("killed")
    await ingest("killed", "log", LONG)
    const stop = new AbortController()
    const onProgress = (done: number) => {
      if (done > 60) stop.abort(new Error("killed"))
    }
    await expect(publish("killed", ["log"], at, { signal: stop.signal, onProgress })).rejects.toThrow("killed")
    expect((await content(at)).children).toHaveLength(64)
    await ingest("killed", "log", LONG.replace("entry 3 ", "item three "))
    expect(await publish("killed", ["log"], at)).toMatchObject({ written: 1, unchanged: 0 })
    const { children, parents } = await content(at)
    expect(idsIn(children)).toEqual(await idsOf("killed", true))
    expect(idsIn(parents)).toEqual(await idsOf("killed", false))
    expect(parents[0]?.text).toContain("item three")
  })

  test("a collection that was emptied is filled again by a repeat", async () => {
    const at = collections("emptied")
    await ingest("emptied", "log", "A line.\nAnother.")
    await publish("emptied", ["log"], at)
    const before = await content(at)
    const index = await open(at.RETRIEVAL_COLLECTION)
    await index.delete?.(idsIn(before.children), callIn())
    expect((await content(at)).children).toEqual([])
    expect(await publish("emptied", ["log"], at)).toMatchObject({ written: 1, unchanged: 0 })
    expect(await content(at)).toEqual(before)
  })

  test("flat documents are one collection, and a search of it misses no parents", async () => {
    const at = collections("flat", { PARENT_EXPANSION_COLLECTION: "null" })
    await ingest("flat", "log", "The pilot boat.\nThe reef.", { flat: true })
    expect(await publish("flat", ["log"], at)).toMatchObject({ written: 1, records: 2 })
    const { results, degraded = [] } = await search("flat", { query: "pilot boat", expand_parents: true }, at)
    expect(results[0]).toMatchObject({ id: "log", content: "The pilot boat." })
    expect(degraded.filter((note) => note.startsWith("expand"))).toEqual([])
    // Neither where there might be some.
    const named = collections("flat")
    await publish("flat", ["log"], named)
    expect(await (await open(named.PARENT_EXPANSION_COLLECTION)).describe(callIn())).toBeNull()
    expect(
      (await search("flat", { query: "pilot boat", expand_parents: true }, named)).degraded?.join() ?? "",
    ).not.toContain("expand")
  })

  const DIVIDED: Record<string, string>[] = [
    { VECTORDB_TENANCY: "field", VECTORDB_TENANT_FIELD: "tenant" },
    ...(["pgvector", "qdrant"].includes(engine) ? [] : [{ VECTORDB_TENANCY: "partition" }]),
  ]
  test.each(DIVIDED)("tenants are apart, by $VECTORDB_TENANCY", async (division) => {
    const name = `apart_${division["VECTORDB_TENANCY"]}`
    const at = collections(name, division)
    const [ours, theirs] = [`${name}-ours`, `${name}-theirs`]
    await ingest(ours, "log", "Our pilot boat.\nA rope.")
    await ingest(theirs, "log", "Their pilot boat.\nAn anchor.")
    for (const tenant of [ours, theirs]) expect(await publish(tenant, ["log"], at)).toMatchObject({ written: 1 })
    const found = async (tenant: string) =>
      (await search(tenant, { query: "pilot boat", group_by: "chunk", expand_parents: true }, at)).results.map(
        (hit) => hit.content,
      )
    expect(await found(ours)).toEqual(["Our pilot boat.\nA rope."])
    expect(await found(theirs)).toEqual(["Their pilot boat.\nAn anchor."])
    await shelf.documents.delete(ours, "log")
    expect(await publish(ours, [], at)).toMatchObject({ removed: 1 })
    expect(await found(ours)).toEqual([])
    expect(await found(theirs)).toHaveLength(1)
  })

  test.skipIf(engine !== "weaviate")("a tenant's field that the engine doesn't keep stops the writing", async () => {
    const at = collections("nested", { VECTORDB_TENANCY: "field", VECTORDB_TENANT_FIELD: "tenant.name" })
    await ingest("nested", "log", "A line.")
    await expect(publish("nested", ["log"], at)).rejects.toThrow(/VECTORDB_TENANT_FIELD.*nobody could find/)
  })

  test("nothing is written for another tenant of an undivided index, nor where two collections are one", async () => {
    await expect(publish("somebody", [], collections("single"))).rejects.toMatchObject({ code: "forbidden" })
    const one = { RETRIEVAL_COLLECTION: "same", PARENT_EXPANSION_COLLECTION: "same" }
    if (engine !== "pinecone") await expect(publish("primary", [], one)).rejects.toThrow(/both same/)
    const field = { ...collections("single"), VECTORDB_TITLE_FIELD: "name" }
    await expect(publish("single", [], field)).rejects.toThrow("VECTORDB_TITLE_FIELD is set")
  })

  test("a collection of another model, or of somebody else's records, is left as it is, and the message names both sides", async () => {
    const at = collections("other")
    await ingest("other", "log", "A line.")
    const wide = createWordEmbedder({ model: "test/wide", dimensions: 32 })
    await publish("other", ["log"], at)
    const before = await content(at)
    await expect(publish("other", ["log"], at, { model: wide })).rejects.toThrow(/64 dimensions.*test\/wide have 32/)
    expect(await content(at)).toEqual(before)

    const index = await open("theirs")
    await index.ensureCollection?.(64, callIn())
    await index.upsert?.([await record(1, "Somebody's.")], callIn())
    const theirs = { ...at, RETRIEVAL_COLLECTION: "theirs" }
    await expect(publish("other", ["log"], theirs)).rejects.toThrow(
      /records that Concordance did not write.*RETRIEVAL_COLLECTION/,
    )
    expect(await index.count(callIn())).toBe(1)
  })
})
