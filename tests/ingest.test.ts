import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { AppError } from "../lib/errors.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { createTextFileReader } from "./text-file-reader.ts"
import { createWordEmbedder } from "./word-embedder.ts"

let shelf: Ingesting
beforeAll(async () => {
  shelf = await openIngesting()
})
afterAll(() => shelf.close())
beforeEach(async () => {
  shelf.objects.held.clear()
  await shelf.rows(
    "truncate documents, chunks, filter_values, embeddings, entities, entity_mentions, pages, document_tables, ingest_jobs, page_drafts, embedding_drafts, enrichments, uploads, upload_keys",
  )
})

const OURS = "ours"
const LOG_1931 =
  "The storm of 1931 took the lighthouse roof.\nNobody was hurt.\fThe roof was mended in spring.\nslates | 400"

const ids = async () =>
  (await shelf.rows("select id, ordinal, content from chunks where searchable order by ordinal")).map(({ id }) => id)
/** By words alone: the word embedder finds something near in any text. */
const find = (query: string) => shelf.find(OURS, { query, strategy: "lexical" })
/** A key that was given out for one upload of a document. */
async function presigned(id: string): Promise<string> {
  const request = { id, fileName: `${id}.txt`, options: { metadata: {}, flat: true } }
  const made = await shelf.worker().presign(OURS, request, "text/plain")
  return new URL(made?.upload.url ?? "").pathname.slice(1)
}
// Pages are read side by side, so the order in which their pictures came says nothing.
const keysOf = (kind: string) => [...shelf.objects.held.keys()].filter((key) => key.startsWith(`${kind}/`)).sort()

test("a file becomes pages with pictures, chunks with regions, a table and vectors, and is found", async () => {
  expect(await shelf.add(OURS, "log", LOG_1931, { title: "Harbour log", metadata: { box: 7 } })).toBe("queued")
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "queued", chunks: 0 })
  expect(await find("lighthouse roof")).toEqual([])

  const seen: object[] = []
  expect(await shelf.worker().run(OURS, "log", { onProgress: (progress) => seen.push(progress) })).toBe("ready")

  expect(seen).toEqual([
    { done: 0, total: 2 },
    { done: 1, total: 2 },
    { done: 2, total: 2 },
  ])
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({
    title: "Harbour log",
    status: "ready",
    chunks: 4,
    page_count: 2,
    mime_type: "text/plain",
    metadata: { box: 7 },
  })
  const { results } = await shelf.search(OURS, { query: "lighthouse roof", strategy: "lexical" })
  expect(results[0]).toMatchObject({ page: 1, citation: "[[log/p001#c0002]]", regions: [{ page: 1 }] })
  expect(await shelf.rows("select number, width, height, image_key, source from pages order by number")).toEqual([
    { number: 1, width: 200, height: 300, image_key: "pages/ours/log/1/p0001.png", source: "embedded" },
    { number: 2, width: 200, height: 300, image_key: "pages/ours/log/1/p0002.png", source: "embedded" },
  ])
  expect(keysOf("pages")).toEqual(["pages/ours/log/1/p0001.png", "pages/ours/log/1/p0002.png"])
  expect(await shelf.rows("select csv, header_rows from document_tables")).toEqual([
    { csv: "slates,400\r\nslates,400\r\n", header_rows: 1 },
  ])
  expect(await shelf.rows("select count(*)::int as n from embeddings")).toEqual([{ n: 4 }])
  expect(
    await shelf.rows("select (select count(*) from page_drafts) + (select count(*) from embedding_drafts) as n"),
  ).toEqual([{ n: "0" }])
})

test("the same bytes again change nothing, and leave no second copy", async () => {
  await shelf.add(OURS, "log", LOG_1931)
  await shelf.worker().run(OURS, "log")
  const before = await shelf.rows("select generation, updated_at from documents")
  const keys = [...shelf.objects.held.keys()]
  expect(await shelf.add(OURS, "log", LOG_1931)).toBe("ready")
  expect(await shelf.worker().run(OURS, "log")).toBe("none")
  expect(await shelf.rows("select generation, updated_at from documents")).toEqual(before)
  expect([...shelf.objects.held.keys()]).toEqual(keys)
  expect(await shelf.add(OURS, "log", LOG_1931, { flat: true })).toBe("queued")
})

test("an upload that waits is not queued twice, and the earlier bytes again call the later ones off", async () => {
  await shelf.add(OURS, "log", LOG_1931)
  expect(await shelf.add(OURS, "log", LOG_1931)).toBe("queued")
  expect(await shelf.rows("select state from ingest_jobs")).toEqual([{ state: "queued" }])
  await shelf.worker().run(OURS, "log")
  await shelf.add(OURS, "log", "Quite another text.\fAnd its second page.")
  expect(await shelf.add(OURS, "log", LOG_1931)).toBe("ready")
  expect(await shelf.worker().run(OURS, "log")).toBe("none")
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "ready", chunks: 4 })
})

test("the old version is served until the new one is published; then unchanged chunks keep their ids and old objects are gone", async () => {
  await shelf.add(OURS, "log", LOG_1931, { flat: true })
  await shelf.worker().run(OURS, "log")
  expect(await ids()).toEqual(["c0001", "c0002", "c0003", "c0004"])
  const fileReader = createTextFileReader({
    async beforePage() {
      expect(await find("storm")).toEqual(["log"])
      expect(await find("keeper")).toEqual([])
      expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "processing", chunks: 4 })
    },
  })
  await shelf.add(OURS, "log", "Nobody was hurt.\nThe keeper saw it.\fThe roof was mended in spring.", { flat: true })
  expect(await shelf.worker({ fileReader }).run(OURS, "log")).toBe("ready")
  expect(await ids()).toEqual(["c0002", "c0005", "c0003"])
  expect(await find("storm")).toEqual([])
  expect(keysOf("pages")).toEqual(["pages/ours/log/3/p0001.png", "pages/ours/log/3/p0002.png"])
  expect(keysOf("uploads")).toHaveLength(1)
  expect(await shelf.rows("select state from ingest_jobs")).toEqual([{ state: "done" }])
})

test("a worker that stops is gone on from: no page is read and no chunk embedded twice", async () => {
  await shelf.add(OURS, "log", LOG_1931, { flat: true })
  const read: number[] = []
  const embedded: string[] = []
  const words = createWordEmbedder()
  const parts = (stopAt: "pages" | "vectors" | "never", stop: AbortController) => ({
    concurrency: 1,
    fileReader: createTextFileReader({
      beforePage(page) {
        read.push(page)
        if (stopAt === "pages" && page === 2) stop.abort()
      },
    }),
    embedder: {
      ...words,
      async embed(...[texts, kind]: Parameters<typeof words.embed>) {
        const vectors = await words.embed(texts, kind)
        embedded.push(...texts)
        if (stopAt === "vectors") stop.abort()
        return vectors
      },
    },
  })
  for (const stopAt of ["pages", "vectors"] as const) {
    const stop = new AbortController()
    expect(await shelf.worker(parts(stopAt, stop)).run(OURS, "log", { signal: stop.signal })).toBe("paused")
  }
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "queued", progress: { done: 2, total: 6 } })
  expect(await shelf.worker(parts("never", new AbortController())).run(OURS, "log")).toBe("ready")
  // Page 2 was being read when the first run stopped; the vectors of the second were not committed.
  expect(read.sort()).toEqual([1, 2, 2])
  expect(embedded).toHaveLength(8)
})

test("vectors that were committed are not made again", async () => {
  const lines = Array.from({ length: 100 }, (_, i) => `Line ${i} of the register`).join("\n")
  await shelf.add(OURS, "register", lines, { flat: true })
  let calls = 0
  const words = createWordEmbedder()
  const failing = {
    ...words,
    embed: async (...args: Parameters<typeof words.embed>) => {
      if (++calls === 2) throw new AppError("inference_unavailable", "The model does not answer")
      return words.embed(...args)
    },
  }
  expect(await shelf.worker({ embedder: failing }).run(OURS, "register")).toBe("retry")
  const counted: number[] = []
  const counting = {
    ...words,
    embed: async (...args: Parameters<typeof words.embed>) => {
      counted.push(args[0].length)
      return words.embed(...args)
    },
  }
  expect(await shelf.worker({ embedder: counting }).run(OURS, "register")).toBe("ready")
  expect(counted.reduce((sum, count) => sum + count)).toBe(68)
  expect(await shelf.rows("select count(*)::int as n from embeddings")).toEqual([{ n: 100 }])
})

test("a file that can't be read fails at once, with a reason for its uploader, and leaves nothing behind", async () => {
  await shelf.add(OURS, "secret", "locked: something")
  expect(await shelf.worker().run(OURS, "secret")).toBe("failed")
  expect(await shelf.documents.get(OURS, "secret")).toMatchObject({
    status: "failed",
    error: { code: "document_encrypted", message: "This file needs a password" },
  })
  expect([...shelf.objects.held.keys()]).toEqual([])
  expect(await shelf.add(OURS, "secret", "locked: something")).toBe("queued")
})

test("a new version that fails leaves the old one where it is", async () => {
  await shelf.add(OURS, "log", LOG_1931)
  await shelf.worker().run(OURS, "log")
  await shelf.add(OURS, "log", "locked")
  expect(await shelf.worker().run(OURS, "log")).toBe("failed")
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "failed", chunks: 4, page_count: 2 })
  expect(await find("storm")).toEqual(["log"])
  expect(keysOf("pages")).toHaveLength(2)
  expect(keysOf("uploads")).toHaveLength(1)
})

test("a page that can't be read is missing with a warning; a file of such pages alone fails", async () => {
  await shelf.add(OURS, "half", "The whole page.\fThis page is torn.")
  expect(await shelf.worker().run(OURS, "half")).toBe("ready")
  expect(await shelf.documents.get(OURS, "half")).toMatchObject({
    chunks: 1,
    warnings: ["page 2 is missing: The page is damaged"],
  })
  expect(await shelf.rows("select number, width, image_key from pages order by number")).toMatchObject([
    { number: 1 },
    { number: 2, width: null, image_key: null },
  ])
  await shelf.add(OURS, "all", "torn\ftorn")
  expect(await shelf.worker().run(OURS, "all")).toBe("failed")
  expect(await shelf.documents.get(OURS, "all")).toMatchObject({
    error: { code: "document_unreadable", message: "The page is damaged" },
  })
})

test.each([
  ["another reason", "deadline_exceeded", 3],
  ["an outage, which is waited for", "storage_unavailable", 10],
] as const)("what fails for %s is tried so often without progress, then given up", async (_, code, attempts) => {
  await shelf.add(OURS, "log", LOG_1931)
  const fileReader = createTextFileReader({
    beforePage: () => {
      throw new AppError(code, "The store does not answer")
    },
  })
  const outcomes = []
  for (let i = 0; i <= attempts; i++) outcomes.push(await shelf.worker({ fileReader }).run(OURS, "log"))
  expect(outcomes).toEqual([...Array(attempts - 1).fill("retry"), "failed", "none"])
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ error: { code } })
})

test("a fault of ours says nothing of the file, to the uploader or to the log", async () => {
  await shelf.add(OURS, "log", LOG_1931)
  const fileReader = createTextFileReader({
    beforePage: () => {
      throw new TypeError("cannot read 'x'")
    },
  })
  for (let i = 0; i < 3; i++) await shelf.worker({ fileReader }).run(OURS, "log")
  const { error } = await shelf.documents.get(OURS, "log")
  expect(error).toEqual({ code: "internal", message: expect.stringContaining("the log says what") })
  expect(shelf.lines.join()).toContain("cannot read")
  expect(shelf.lines.join()).not.toContain("storm")
})

test("a worker that was killed holds its job until its lease is over, unless it is known to be dead", async () => {
  await shelf.add(OURS, "log", LOG_1931)
  await shelf.rows(
    "update ingest_jobs set state = 'processing', worker = 'dead', lease_until = now() + interval '1 minute'",
  )
  expect(await shelf.worker().run(OURS, "log")).toBe("none")
  expect(await shelf.worker().pending(OURS)).toMatchObject([{ id: "log", state: "processing" }])
  expect(await shelf.worker().run(OURS, "log", { isAlone: true })).toBe("ready")
  await shelf.add(OURS, "two", LOG_1931)
  await shelf.rows(
    "update ingest_jobs set state = 'processing', worker = 'dead', lease_until = now() - interval '1 second' where document_id = 'two'",
  )
  expect(await shelf.worker().run(OURS, "two")).toBe("ready")
})

test("a file that ends the process again and again is given up", async () => {
  await shelf.add(OURS, "bomb", LOG_1931)
  await shelf.rows("update ingest_jobs set state = 'processing', attempts = 10, worker = 'dead', lease_until = now()")
  expect(await shelf.worker().run(OURS, "bomb", { isAlone: true })).toBe("failed")
  expect(await shelf.documents.get(OURS, "bomb")).toMatchObject({ error: { code: "document_unreadable" } })
})

test.each([
  ["a delete", () => shelf.worker().delete(OURS, "log")],
  ["a newer upload", () => shelf.add(OURS, "log", "Newer words.\fAnd more.")],
  ["POST /index", () => shelf.index(OURS, [{ id: "log", content: "Indexed words." }])],
])("%s while a worker reads: what that worker does later changes nothing and leaves nothing", async (_, intervene) => {
  await shelf.add(OURS, "log", LOG_1931)
  let once = true
  const fileReader = createTextFileReader({
    async beforePage(page) {
      if (page !== 2 || !once) return
      once = false
      await intervene()
    },
  })
  expect(await shelf.worker({ fileReader }).run(OURS, "log")).toBe("superseded")
  expect(await find("storm")).toEqual([])
  expect(await shelf.rows("select * from page_drafts")).toEqual([])
  expect(keysOf("pages")).toEqual([])
  const jobs = await shelf.rows("select state from ingest_jobs")
  expect(jobs.filter(({ state }) => state !== "queued")).toEqual([])
  expect(keysOf("uploads")).toHaveLength(jobs.length)
})

test("a delete in the moment before the publication wins", async () => {
  await shelf.add(OURS, "log", LOG_1931)
  const words = createWordEmbedder()
  const embedder = {
    ...words,
    embed: async (...args: Parameters<typeof words.embed>) => {
      await shelf.worker().delete(OURS, "log")
      return words.embed(...args)
    },
  }
  expect(await shelf.worker({ embedder }).run(OURS, "log")).toBe("superseded")
  expect(await shelf.rows("select status from documents")).toEqual([{ status: "deleted" }])
  expect(
    await shelf.rows("select 1 from chunks union all select 1 from pages union all select 1 from ingest_jobs"),
  ).toEqual([])
  expect([...shelf.objects.held.keys()]).toEqual([])
})

test("a delete takes rows and objects; a later upload of the same id uses no chunk id again", async () => {
  await shelf.add(OURS, "log", LOG_1931, { flat: true })
  await shelf.worker().run(OURS, "log")
  expect(await shelf.worker().delete(OURS, "log")).toBe(true)
  expect(await shelf.worker().delete(OURS, "log")).toBe(false)
  expect([...shelf.objects.held.keys()]).toEqual([])
  expect(
    await shelf.rows("select 1 from pages union all select 1 from document_tables union all select 1 from ingest_jobs"),
  ).toEqual([])
  await shelf.add(OURS, "log", "A single line.\fAnother.", { flat: true })
  await shelf.worker().run(OURS, "log")
  expect(await ids()).toEqual(["c0005", "c0006"])
})

test("a document that POST /index replaces loses its pages, and the next look its objects", async () => {
  await shelf.add(OURS, "log", LOG_1931)
  await shelf.worker().run(OURS, "log")
  await shelf.index(OURS, [{ id: "log", content: "Indexed words." }])
  expect(await shelf.rows("select 1 from pages union all select 1 from document_tables")).toEqual([])
  expect(await shelf.worker().leftovers(OURS)).toEqual(["log"])
  await shelf.worker().cleanUp(OURS, "log")
  expect([...shelf.objects.held.keys()]).toEqual([])
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "ready", chunks: 1 })
})

test("events of a bucket: the first makes a job, a repeat nothing, a later one of other bytes another, a late one nothing", async () => {
  const worker = shelf.worker()
  const key = await presigned("log")
  const put = (text: string) => shelf.objects.put(key, Buffer.from(text), "text/plain")
  expect(await worker.received(OURS, "log", { key, sequencer: "0A" })).toBe("ignored")
  await put(LOG_1931)
  expect(await worker.received(OURS, "log", { key, sequencer: "0A" })).toBe("queued")
  expect(await worker.received(OURS, "log", { key, sequencer: "0A" })).toBe("ignored")
  expect(await worker.run(OURS, "log")).toBe("ready")
  await put("Other bytes.\fUnder the same key.")
  // 0x9 comes before 0xb1 however many zeros stand before it.
  expect(await worker.received(OURS, "log", { key, sequencer: "0B1" })).toBe("queued")
  expect(await worker.received(OURS, "log", { key, sequencer: "9" })).toBe("ignored")
  expect(await worker.run(OURS, "log")).toBe("ready")
  expect(await find("bytes")).toEqual(["log"])
  await shelf.objects.delete([key])
  expect(await worker.removed(OURS, "log", { key, sequencer: "0b0" })).toBe(false)
  expect(await worker.removed(OURS, "log", { key, sequencer: "0C0" })).toBe(true)
  await put(LOG_1931)
  expect(await worker.received(OURS, "log", { key, sequencer: "0B2" })).toBe("ignored")
  expect(await shelf.documents.list(OURS, { limit: 10 })).toEqual({ documents: [] })
})

test("a removal that is told of before its upload isn't undone by it, and holds no upload under another key back", async () => {
  const worker = shelf.worker()
  const [gone, kept] = [await presigned("early"), await presigned("early")]
  expect(await worker.removed(OURS, "early", { key: gone, sequencer: "FF" })).toBe(false)
  expect(await worker.received(OURS, "early", { key: gone, sequencer: "0A", bytes: 4 })).toBe("ignored")
  await shelf.objects.put(kept, Buffer.from(LOG_1931), "text/plain")
  expect(await worker.received(OURS, "early", { key: kept, sequencer: "01" })).toBe("queued")
  expect(await worker.run(OURS, "early")).toBe("ready")
  expect(await find("storm")).toEqual(["early"])
})

test("a presigned upload of the bytes that are served changes nothing", async () => {
  await shelf.add(OURS, "log", LOG_1931)
  const worker = shelf.worker()
  await worker.run(OURS, "log")
  const chunks = await shelf.rows("select key, id from chunks order by key")
  const presigned = await worker.presign(
    OURS,
    { id: "log", fileName: "log.txt", options: { metadata: {}, flat: false } },
    "text/plain",
  )
  await shelf.objects.put(new URL(presigned?.upload.url ?? "").pathname.slice(1), Buffer.from(LOG_1931), "text/plain")
  expect(await worker.collect(OURS, "log")).toBe("queued")
  expect(await worker.run(OURS, "log")).toBe("ready")
  expect(await shelf.rows("select key, id from chunks order by key")).toEqual(chunks)
  expect(keysOf("uploads")).toHaveLength(1)
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "ready", chunks: 4 })
})

test("an announced file that never comes is forgotten; a sweep takes what no row names and nothing else", async () => {
  const worker = shelf.worker()
  await worker.presign(OURS, { id: "never", fileName: "x", options: { metadata: {}, flat: false } }, "text/plain")
  await shelf.rows("update uploads set expires_at = now() - interval '1 second'")
  expect(await worker.leftovers(OURS)).toEqual(["never"])
  await worker.cleanUp(OURS, "never")
  expect(await worker.leftovers(OURS)).toEqual([])

  await shelf.add(OURS, "log", LOG_1931)
  await worker.run(OURS, "log")
  await shelf.add("theirs", "log", LOG_1931)
  await shelf.add(OURS, "waits", LOG_1931)
  const kept = [...shelf.objects.held.keys()].sort()
  for (const key of ["pages/ours/log/9/p0001.png", "pages/ours/gone/1/p0001.png", "uploads/ours/gone/x"]) {
    await shelf.objects.put(key, Buffer.from("x"), "image/png")
  }
  expect(await worker.sweep(OURS)).toBe(3)
  expect([...shelf.objects.held.keys()].sort()).toEqual(kept)
})

test("a tenant's reset takes everything of its own and nothing of another's", async () => {
  for (const tenant of [OURS, "theirs"]) {
    await shelf.add(tenant, "log", LOG_1931)
    await shelf.worker().run(tenant, "log")
  }
  expect(await shelf.worker().reset(OURS)).toBe(1)
  expect(await shelf.documents.list(OURS, { limit: 10 })).toEqual({ documents: [] })
  expect(await shelf.documents.get("theirs", "log")).toMatchObject({ chunks: 4 })
  expect([...shelf.objects.held.keys()].filter((key) => key.includes("/ours/"))).toEqual([])
  expect([...shelf.objects.held.keys()]).toHaveLength(3)
})
