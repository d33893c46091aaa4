import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createAnomalies } from "../lib/documents/anomalies.ts"
import { createImportBundle, type ImportBundle } from "../lib/documents/bundles/import-bundle.ts"
import { pngSize } from "../lib/documents/bundles/png-size.ts"
import { createDocumentPages } from "../lib/documents/document-pages.ts"
import { createEntities } from "../lib/documents/entities.ts"
import { createPagePictures } from "../lib/documents/page-pictures.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { createWordEmbedder } from "./word-embedder.ts"

// A bundle becomes a document: chunks with their ids, pictures in the store, entities and anomalies to browse.

const SAMPLE = "samples/bundles/andorinha-inquiry-1934"
const ID = "andorinha-inquiry-1934"

let library: Ingesting
let folder: string
beforeAll(async () => {
  library = await openIngesting()
  folder = await mkdtemp(join(tmpdir(), "concordance-import-"))
})
afterAll(async () => {
  await library.close()
  await rm(folder, { recursive: true })
})

const importBundle: ImportBundle = (tenant, root, options) =>
  createImportBundle({
    ...library,
    embedder: createWordEmbedder(),
    cleanUp: (whose, id) => library.worker().cleanUp(whose, id),
  })(tenant, root, options)

/** Keys of the tenant's pictures in the store. */
const pictures = (tenant: string) =>
  [...library.objects.held.keys()].filter((key) => key.startsWith(`images/${tenant}/`))

async function rows(tenant: string, text: string) {
  const [found = []] = await library.database.batch({ tenant }, [{ text }])
  return found
}

/** A copy of the sample that a test may change. */
async function copy(name: string): Promise<string> {
  const path = join(folder, name)
  await cp(SAMPLE, path, { recursive: true })
  return path
}

const edit = async (path: string, change: (text: string) => string) =>
  writeFile(path, change(await readFile(path, "utf8")))

test("the sample is imported whole: ids, languages, pages, tables, pictures, vectors", async () => {
  expect(await importBundle("whole", SAMPLE)).toEqual({
    id: ID,
    status: "imported",
    chunks: 40,
    images: 3,
    tables: 2,
    warnings: [],
  })
  expect(await rows("whole", "select languages, page_count, last_chunk from documents")).toEqual([
    { languages: ["en", "pt"], page_count: 7, last_chunk: 40 },
  ])
  const [chunk] = await rows(
    "whole",
    "select translation_language, first_page, image_key, metadata ->> 'table' as table, (select count(*)::int from embeddings) as vectors from chunks where id = 'c0025'",
  )
  expect(chunk).toMatchObject({ translation_language: "en", first_page: 5, table: "1", vectors: 40 })
  expect(pictures("whole")).toHaveLength(3)
  const stored = await library.objects.get(String(chunk?.["image_key"]))
  expect(Buffer.from(stored?.body ?? []).toString("latin1", 1, 4)).toBe("PNG")
  expect(await rows("whole", "select key from uploads")).toEqual([])
})

test("its pages and tables are read, and its pictures seen, as those of a file", async () => {
  await importBundle("read", SAMPLE)
  const pages = createDocumentPages(library.database)
  const listed = await pages.list("read", ID, { limit: 3 })
  expect(listed.pages).toMatchObject([{ number: 1, source: "given" }, { number: 2 }, { number: 3 }])
  expect(listed.pages[0]).not.toHaveProperty("image_url")
  const { chunks } = await pages.get("read", ID, 5)
  const table = chunks.find(({ id }) => id === "c0025")
  expect(table).toMatchObject({
    page_url: `/documents/${ID}/pages/5?source_account_id=read`,
    crop_url: `/crop/${ID}/5?chunk=c0025&v=1&source_account_id=read`,
    table_url: `/documents/${ID}/tables/1.csv?source_account_id=read`,
    translation: { language: "en" },
  })
  expect(await pages.chunk("read", ID, "c0024")).toMatchObject({
    anomalies: [{ kind: "spelling" }],
    entities: expect.arrayContaining([{ name: "Gil Arruda", kind: "person", surface: "Gil Arouda" }]),
  })
  expect(await pages.table("read", ID, 1)).toBe(
    (await readFile(join(SAMPLE, "tables/TBL-001.csv"), "utf8")).replace(/\r?\n/g, "\r\n"),
  )
  const pagePictures = createPagePictures({ pages, objects: library.objects })
  const request = { chunkId: "c0025", highlight: false, format: "png" } as const
  const own = await (await pagePictures.part("read", ID, 5, request)).read()
  const given = pngSize(await readFile(join(SAMPLE, "images/IMG-c0025.png")))
  expect(pngSize(own.bytes)).toEqual(given)
  const narrow = await (await pagePictures.part("read", ID, 5, { ...request, width: 50 })).read()
  expect(pngSize(narrow.bytes)?.width).toBe(50)
  // The page has no picture to shade it in.
  const shaded = await (await pagePictures.part("read", ID, 5, { ...request, highlight: true })).read()
  expect(pngSize(shaded.bytes)).toEqual(given)
  for (const ask of [
    () => pagePictures.part("read", ID, 4, request),
    () => pagePictures.part("read", ID, 1, { ...request, chunkId: "c0001" }),
    () => pagePictures.part("unread", ID, 5, request),
    () => pagePictures.whole("read", ID, 5),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: "not_found" })
  }
})

test("a hit leads to its page, and to a picture where there is one", async () => {
  await importBundle("hits", SAMPLE)
  const hits = await library.page("hits", { query: "lancha Andorinha", group_by: "chunk", top_k: 50 })
  expect(hits.every((hit) => hit.page_url === `/documents/${ID}/pages/${hit.page}?source_account_id=hits`)).toBe(true)
  const seen = hits.filter((hit) => hit.crop_url !== undefined).map((hit) => hit.chunk_id)
  expect(hits.length).toBeGreaterThan(seen.length)
  expect(["c0025", "c0027", "c0034"]).toEqual(expect.arrayContaining(seen))
  expect(seen.length).toBeGreaterThan(0)
})

test.each(["deleted", "replaced"])("a bundle that is %s leaves no picture, page or table", async (how) => {
  await importBundle(how, SAMPLE)
  if (how === "deleted") await library.worker().delete(how, ID)
  else {
    await library.index(how, [{ id: ID, content: "another text" }])
    expect(await library.worker().leftovers(how)).toContain(ID)
    await library.worker().cleanUp(how, ID)
  }
  expect(pictures(how)).toEqual([])
  for (const table of ["pages", "document_tables", "uploads"]) {
    expect(await rows(how, `select * from ${table}`), table).toEqual([])
  }
})

test("pictures that wait for their chunks are left alone; a delete takes them, and the import with them", async () => {
  const cleanUp = async () => {}
  const embedder = createWordEmbedder()
  const meanwhile = (work: () => Promise<unknown>): ImportBundle =>
    createImportBundle({
      ...{ database: library.database, objects: library.objects, cleanUp },
      embedder: {
        ...embedder,
        embed: async (...args) => {
          await work()
          return embedder.embed(...args)
        },
      },
    })
  const worker = library.worker()
  await meanwhile(async () => {
    await worker.cleanUp("waits", ID)
    expect(await worker.sweep("waits")).toBe(0)
    expect(await worker.collect("waits", ID)).toBeNull()
  })("waits", SAMPLE)
  expect(pictures("waits")).toHaveLength(3)
  await expect(meanwhile(() => worker.delete("gone", ID))("gone", SAMPLE)).rejects.toMatchObject({ code: "conflict" })
  expect(pictures("gone")).toEqual([])
  expect(await rows("gone", "select id from documents")).toEqual([])
})

test("imported again nothing changes; with skipExisting nothing is even read", async () => {
  const path = await copy("again")
  await importBundle("again", path)
  const before = await rows("again", "select id, ordinal, content_hash, image_key from chunks order by id")
  expect(await importBundle("again", path)).toMatchObject({ status: "imported", warnings: [] })
  expect(await rows("again", "select id, ordinal, content_hash, image_key from chunks order by id")).toEqual(before)
  expect(pictures("again")).toHaveLength(3)
  await writeFile(join(path, "chunks/c0001.md"), "no front matter")
  expect(await importBundle("again", path, { skipExisting: true })).toMatchObject({ status: "skipped", chunks: 0 })
  await expect(importBundle("again", path)).rejects.toMatchObject({ code: "invalid_request" })
  expect(await rows("again", "select count(*)::int as chunks from chunks")).toEqual([{ chunks: 40 }])
})

test("a text that was corrected gets a new id, and the old citation shows nothing rather than another text", async () => {
  const path = await copy("corrected")
  await importBundle("corrected", path)
  await edit(join(path, "chunks/c0011.md"), (text) => text.replace("bicicleta", "carruagem"))
  const { warnings } = await importBundle("corrected", path)
  expect(warnings).toEqual(["ids: an id that once was another text's is not given again: c0011 is c0041"])
  expect(await rows("corrected", "select id from chunks where id in ('c0011', 'c0041')")).toEqual([{ id: "c0041" }])
  expect(await rows("corrected", "select ordinal from chunks where id = 'c0041'")).toEqual([{ ordinal: 11 }])
  // And so it stays.
  expect(await importBundle("corrected", path)).toMatchObject({ chunks: 40 })
  expect(await rows("corrected", "select last_chunk from documents")).toEqual([{ last_chunk: 41 }])
})

test("a picture that went is dropped from the store with the version that showed it; one that is no PNG is refused", async () => {
  const path = await copy("pictures")
  await importBundle("pictures", path)
  await rm(join(path, "images/IMG-c0027.png"))
  await importBundle("pictures", path)
  expect(pictures("pictures")).toHaveLength(2)
  await writeFile(join(path, "images/IMG-c0027.png"), "GIF89a".padEnd(100))
  await expect(importBundle("pictures", path)).rejects.toMatchObject({
    code: "document_unreadable",
    message: "images/IMG-c0027.png: is no PNG",
  })
  const header = await readFile(join(path, "images/IMG-c0025.png"))
  header.writeUInt32BE(10_000, 16)
  header.writeUInt32BE(10_000, 20)
  await writeFile(join(path, "images/IMG-c0027.png"), header)
  await expect(importBundle("pictures", path)).rejects.toMatchObject({ code: "document_too_large" })
})

test("an import that is stopped writes nothing", async () => {
  const signal = AbortSignal.abort(new Error("stopped"))
  await expect(importBundle("stopped", SAMPLE, { signal })).rejects.toThrow("stopped")
  expect(await rows("stopped", "select id from documents")).toEqual([])
})

test("entities are one whatever their case, accents and punctuation, and are listed and searched in any form", async () => {
  await importBundle("names", SAMPLE)
  const entities = createEntities(library.database)
  const { entities: people, next_cursor } = await entities.list("names", { limit: 200, kind: "person" })
  expect(next_cursor).toBeUndefined()
  expect(people).toHaveLength(17)
  expect((await entities.list("names", { limit: 10, q: "AROUDA" })).entities).toEqual([
    { id: "person:gil-arruda", kind: "person", name: "Gil Arruda", aliases: ["Gil Arouda"], mentions: 3, documents: 1 },
  ])
  for (const q of ["custodio", "Custódio  VAZ", "todio-v"]) {
    expect((await entities.list("names", { limit: 10, q })).entities.map(({ name }) => name)).toEqual(["Custódio Vaz"])
  }
  const { mentions } = await entities.mentions("names", "person:gil-arruda", { limit: 10 })
  expect(mentions).toMatchObject([
    { chunk_id: "c0005", page: 1, surface: "Gil Arruda", citation: `[[${ID}/p001#c0005]]` },
    { chunk_id: "c0024", surface: "Gil Arouda" },
    { chunk_id: "c0035" },
  ])
})

test("lists come in pages without a gap or a repeat, and a cursor of another list is refused", async () => {
  await importBundle("paged", SAMPLE)
  const entities = createEntities(library.database)
  const anomalies = createAnomalies(library.database)
  async function all<T>(read: (cursor?: string) => Promise<{ items: readonly T[]; next?: string | undefined }>) {
    const items: T[] = []
    let cursor: string | undefined
    do {
      const page = await read(cursor)
      expect(page.items.length).toBeLessThanOrEqual(3)
      items.push(...page.items)
      cursor = page.next
    } while (cursor !== undefined)
    return items
  }
  const page = (cursor?: string) => ({ limit: 3, ...(cursor && { cursor }) })
  const listed = await all(async (cursor) => {
    const { entities: items, next_cursor: next } = await entities.list("paged", page(cursor))
    return { items, next }
  })
  expect(listed).toEqual((await entities.list("paged", { limit: 200 })).entities)
  const reef = await all(async (cursor) => {
    const { mentions: items, next_cursor: next } = await entities.mentions("paged", "place:lajes-reef", page(cursor))
    return { items, next }
  })
  expect(reef.map(({ chunk_id }) => chunk_id)).toEqual(["c0013", "c0015", "c0026", "c0037", "c0039"])
  const odd = await all(async (cursor) => {
    const { anomalies: items, next_cursor: next } = await anomalies.list("paged", page(cursor))
    return { items, next }
  })
  expect(odd.map(({ chunk_id, kind }) => [chunk_id, kind])).toEqual([
    ["c0004", "date-conflict"],
    ["c0024", "spelling"],
    ["c0029", "missing-pages"],
    ["c0030", "second-hand"],
    ["c0032", "contradiction"],
    ["c0038", "altered"],
    ["c0040", "later-note"],
  ])
  const { next_cursor: foreign = "" } = await anomalies.list("paged", { limit: 1 })
  await expect(anomalies.list("paged", { limit: 1, kind: "altered", cursor: foreign })).rejects.toMatchObject({
    code: "invalid_request",
  })
  await expect(entities.list("other", { limit: 1, cursor: foreign })).rejects.toMatchObject({ code: "invalid_request" })
})

test("anomalies of one document or kind; a document that isn't there, or is another tenant's, is not found", async () => {
  await importBundle("odd", SAMPLE)
  await library.index("odd", [{ id: "else", chunks: [{ content: "x", anomalies: [{ kind: "altered", note: "n" }] }] }])
  const anomalies = createAnomalies(library.database)
  const list = async (tenant: string, query: object) =>
    (await anomalies.list(tenant, { limit: 50, ...query })).anomalies
  expect(await list("odd", { document: "else" })).toMatchObject([{ document_id: "else", kind: "altered", note: "n" }])
  expect((await list("odd", { kind: "altered" })).map((entry) => entry.document_id)).toEqual([ID, "else"])
  await expect(list("odd", { document: "nowhere" })).rejects.toMatchObject({ code: "not_found" })
  await expect(list("nobody", { document: "else" })).rejects.toMatchObject({ code: "not_found" })
  await expect(
    createEntities(library.database).mentions("nobody", "person:gil-arruda", { limit: 1 }),
  ).rejects.toMatchObject({ code: "not_found" })
})

test("entities follow their documents: changed, deleted, and rebuilt they are the same as written at once", async () => {
  const entities = createEntities(library.database)
  const all = async () => (await entities.list("follow", { limit: 200 })).entities
  const path = await copy("follow")
  await importBundle("follow", path)
  const document = (id: string, name: string) => ({
    id,
    chunks: [{ content: id, entities: [{ name, kind: "person" }] }],
  })
  await library.index("follow", [document("a", "gil ARRUDA"), document("b", "Nobody Else")])
  const written = await all()
  expect(written.find(({ id }) => id === "person:gil-arruda")).toMatchObject({ mentions: 4, documents: 2 })
  const mentions = written.reduce((sum, entity) => sum + entity.mentions, 0)
  expect(mentions).toBe(62)
  expect(await entities.rebuild("follow")).toEqual({ entities: written.length, mentions })
  expect(await all()).toEqual(written)
  await library.index("follow", [{ id: "b", chunks: [{ content: "b" }] }])
  await library.documents.delete("follow", "a")
  await edit(join(path, "chunks/c0003.md"), (text) => text.replace(/entities:[\s\S]*(?=---)/, ""))
  await importBundle("follow", path)
  const names = (await all()).map(({ id }) => id)
  expect(names).not.toContain("person:nobody-else")
  expect(names).not.toContain("person:figueira")
  const left = await all()
  await entities.rebuild("follow")
  expect(await all()).toEqual(left)
})
