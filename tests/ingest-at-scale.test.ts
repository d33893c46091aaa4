import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createWorkMessage } from "../lib/documents/ingest/work-message.ts"
import { AppError } from "../lib/errors.ts"
import { createTestQueue, type TestQueue } from "./ingest-messages.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { createTextFileReader } from "./text-file-reader.ts"
import { createWordEmbedder } from "./word-embedder.ts"

let shelf: Ingesting
let queue: TestQueue
beforeAll(async () => {
  shelf = await openIngesting()
  queue = createTestQueue(shelf)
})
afterAll(() => shelf.close())
beforeEach(async () => {
  queue.clear()
  shelf.objects.held.clear()
  shelf.lines.length = 0
  await shelf.rows(
    "truncate documents, chunks, filter_values, embeddings, entities, entity_mentions, pages, document_tables, ingest_jobs, page_drafts, embedding_drafts, enrichments, uploads, upload_keys",
  )
})

const OURS = "ours"
const PAGES = 100
const LONG = Array.from({ length: PAGES }, (_, i) => `Page ${i + 1} of the register.\nEntry number ${i}.`).join("\f")
const LONG_WITH_TABLE = `${LONG}\nslates | 400`

/** A file in the bucket under a key that was given out, and S3's word of it in the queue. */
async function put(id: string, text: string, sequencer = "0A", tenant = OURS): Promise<string> {
  const request = { id, fileName: `${id} (1).txt`, options: { metadata: {}, flat: true } }
  const made = await shelf.worker().presign(tenant, request, "text/plain")
  const key = new URL(made?.upload.url ?? "").pathname.slice(1)
  await overwrite(key, text, sequencer)
  return key
}

async function overwrite(key: string, text: string, sequencer: string): Promise<void> {
  await shelf.objects.put(key, Buffer.from(text), "text/plain")
  const versionId = (await shelf.objects.head(key))?.version
  queue.notify("ObjectCreated:Put", key, { sequencer, ...(versionId !== undefined && { versionId }) })
}

async function remove(key: string, sequencer: string): Promise<void> {
  await shelf.objects.delete([key])
  queue.notify("ObjectRemoved:DeleteMarkerCreated", key, { sequencer })
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** What is served of a tenant, without what differs from one ingestion to another. */
async function served(tenant: string) {
  const of = (text: string) => shelf.rows(text, [tenant])
  return {
    chunks: await of(
      "select id, ordinal, content, first_page, last_page, regions, lexemes::text as lexemes from chunks where source_account_id = $1 order by ordinal, id",
    ),
    vectors: await of(
      "select c.id, e.embedding::text as vector from embeddings e join chunks c on c.key = e.chunk_key where c.source_account_id = $1 order by c.id",
    ),
    pages: await of("select number, width, height, source from pages where source_account_id = $1 order by number"),
    tables: await of("select csv from document_tables where source_account_id = $1"),
    documents: await of("select id, title, status, page_count, sha256 from documents where source_account_id = $1"),
    left: await of(
      "select 'draft' from page_drafts where source_account_id = $1 union all select 'vector' from embedding_drafts where source_account_id = $1",
    ),
    jobs: await of("select state, warnings from ingest_jobs where source_account_id = $1"),
  }
}

test.each([1, 2, 3])(
  "a long file in ranges of pages, told twice, in any order and with processes that end, comes to what one process makes of it (seed %i)",
  async (seed) => {
    const random = randomOf(seed)
    const key = await put("book", LONG_WITH_TABLE, "0A", "one")
    await shelf.worker().received("one", "book", { key, sequencer: "0A" })
    expect(await shelf.worker().run("one", "book")).toBe("ready")
    queue.clear()

    await put("book", LONG_WITH_TABLE)
    let [deliveries, crashes] = [0, 0]
    const crashed = new Set<string>()
    while (queue.messages.length > 0 && deliveries++ < 300) {
      const soon = queue.messages.filter(({ delayS }) => delayS === 0)
      if (soon.length === 0) await shelf.rows("update ingest_jobs set lease_until = now() where state = 'processing'")
      const waiting = soon.length > 0 ? soon : queue.messages
      const message = waiting[Math.floor(random() * waiting.length)]
      if (!message) break
      if (random() < 0.2) queue.messages.push({ ...message, id: `${message.id}'` })
      const ends = !crashed.has(message.id) && random() < 0.3
      if (ends) crashed.add(message.id)
      // Some vectors are made before it ends: without any progress two ends would be the file's own.
      const first = message.body.includes('"pages"') ? 0 : 1
      const outcome = await queue.deliver(message, ends ? { crashesAt: first + Math.floor(random() * 8) } : {})
      if (outcome === "crashed") crashes++
    }
    expect(queue.messages).toEqual([])
    expect(crashes).toBeGreaterThan(0)
    expect(queue.deadLetters).toEqual([])
    expect(await shelf.documents.get(OURS, "book")).toMatchObject({ status: "ready", chunks: 201 })
    expect(await served(OURS)).toEqual(await served("one"))
  },
)

test("the pages of a long file go out as messages of 16, and no process reads more of them", async () => {
  await put("book", LONG)
  const [event] = queue.messages
  if (event) await queue.deliver(event)
  const bodies = queue.messages.map(({ body }) => JSON.parse(body))
  const ranges = bodies.filter(({ kind }) => kind === "pages").map(({ from, to }) => [from, to])
  expect(ranges).toEqual([...[0, 1, 2, 3, 4, 5].map((i) => [i * 16 + 1, i * 16 + 16]), [97, 100]])
  expect(await shelf.documents.get(OURS, "book")).toMatchObject({
    status: "processing",
    progress: { done: 0, total: PAGES },
  })
  await queue.drain()
  expect(await shelf.documents.get(OURS, "book")).toMatchObject({ status: "ready", page_count: PAGES, chunks: 200 })
})

test("no process is needed for longer than its time: each puts down what it has, and says how to go on", async () => {
  await put("book", LONG)
  const lengths: number[] = []
  const words = createWordEmbedder()
  const read = new Map<number, number>()
  for (let invocations = 0; ; invocations++) {
    const message = queue.messages.find(({ delayS }) => delayS === 0)
    if (!message) break
    expect(invocations).toBeLessThan(100)
    // Its time is over after seven pages, or after one batch of vectors.
    const time = new AbortController()
    let steps = 0
    const fileReader = createTextFileReader({
      beforePage(page) {
        read.set(page, (read.get(page) ?? 0) + 1)
        if (++steps === 7) time.abort()
      },
    })
    const embedder = {
      ...words,
      embed: async (...args: Parameters<typeof words.embed>) => {
        const made = await words.embed(...args)
        setTimeout(() => time.abort(), 0)
        return made
      },
    }
    const ingest = shelf.worker({ fileReader, embedder, concurrency: 1 })
    queue.messages.splice(queue.messages.indexOf(message), 1)
    if (JSON.parse(message.body).Records) await queue.deliver(message)
    else {
      const work = createWorkMessage({ ingest, send: queue.send })
      await work(JSON.parse(message.body), { receives: 1, receivesMax: 3, signal: time.signal })
    }
    lengths.push(steps)
  }
  expect(await shelf.documents.get(OURS, "book")).toMatchObject({ status: "ready", chunks: 200 })
  expect(Math.max(...lengths)).toBeLessThanOrEqual(7)
  // A page is read again only where the time ended in the midst of it.
  expect(Math.max(...read.values())).toBeLessThanOrEqual(2)
})

test("what makes no progress in its time isn't tried for ever: the third time it has failed, and is put aside", async () => {
  await put("slow", "One page.\fAnother.")
  const fileReader = createTextFileReader({ beforePage: () => new Promise((resolve) => setTimeout(resolve, 60)) })
  await queue.drain({ fileReader, remainingMs: 30_020 })
  expect(await shelf.documents.get(OURS, "slow")).toMatchObject({
    status: "failed",
    error: { code: "deadline_exceeded", message: expect.stringContaining("smaller files") },
  })
  expect(queue.deadLetters).toMatchObject([{ receives: 3 }])
})

test("a file that ends its process has failed after two of them, with a reason, and its message is put aside", async () => {
  await put("bomb", "One page.\fAnother.")
  const message = queue.messages[0]
  if (!message) throw new Error("no message")
  for (let i = 0; i < 2; i++) {
    expect(await queue.deliver(message, { crashesAt: 0 })).toBe("crashed")
    await shelf.rows("update ingest_jobs set lease_until = now()")
  }
  expect(await queue.deliver(message, { crashesAt: 0 })).toBe("put aside")
  expect(await shelf.documents.get(OURS, "bomb")).toMatchObject({
    status: "failed",
    error: { code: "document_unreadable", message: "Reading this file ended the process 2 times in a row" },
  })
  await queue.drain()
  expect(await shelf.documents.get(OURS, "bomb")).toMatchObject({ status: "failed" })
})

test("a page that ends its process is given up with a warning, and the rest of the file is read", async () => {
  await put("book", LONG)
  const fileReader = () => {
    let crash = (): void => {}
    const crashed = new Promise<void>((resolve) => {
      crash = resolve
    })
    const beforePage = async (page: number): Promise<void> => {
      if (page !== 40) return
      crash()
      await new Promise(() => {})
    }
    return { reader: createTextFileReader({ beforePage }), crashed }
  }
  for (;;) {
    const message = queue.messages.find(({ delayS }) => delayS === 0)
    if (!message) break
    const { reader, crashed } = fileReader()
    await Promise.race([queue.deliver(message, { fileReader: reader }), crashed])
  }
  expect(queue.deadLetters).toEqual([])
  const { warnings, status } = await shelf.documents.get(OURS, "book")
  expect(status).toBe("ready")
  // Pages 33 to 39 had been read before it.
  expect(warnings).toHaveLength(9)
  expect(warnings?.[0]).toMatch(/^page 40 is missing: Reading it ended the process/)
  expect(await shelf.rows("select number from pages where width is null order by number")).toHaveLength(9)
})

test("what is not the file's fault fails three times, then the document says so and the message is put aside; sent anew, it is tried anew", async () => {
  await put("log", "One page.\fAnother.")
  const down = createTextFileReader({
    beforePage: () => {
      throw new AppError("storage_unavailable", "The store does not answer")
    },
  })
  await queue.drain({ fileReader: down })
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ error: { code: "storage_unavailable" } })
  expect(queue.deadLetters).toMatchObject([{ receives: 3 }])
  const [letter] = queue.deadLetters
  queue.clear()
  if (letter) queue.messages.push({ ...letter, receives: 0 })
  await queue.drain()
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "ready", chunks: 2 })
})

test("a fault in the midst of a range of pages is no fault of the pages: none is given up, and the third ends the job", async () => {
  await put("book", LONG)
  const down = createTextFileReader({
    beforePage: (page) => {
      if (page === 40) throw new AppError("storage_unavailable", "The store does not answer")
    },
  })
  await queue.drain({ fileReader: down })
  expect(await shelf.documents.get(OURS, "book")).toMatchObject({
    status: "failed",
    error: { code: "storage_unavailable" },
  })
  expect(queue.deadLetters).toMatchObject([{ receives: 3 }])
  expect(await shelf.rows("select 1 from page_drafts")).toEqual([])
})

test("what is the file's fault ends its job at once, and nobody is called", async () => {
  await put("secret", "locked: something")
  const message = queue.messages[0]
  if (message) expect(await queue.deliver(message)).toBe("done")
  expect(await shelf.documents.get(OURS, "secret")).toMatchObject({ error: { code: "document_encrypted" } })
  expect(queue.messages).toEqual([])
  expect(queue.deadLetters).toEqual([])
})

test("a delete while ranges are read wins: no later message brings anything back", async () => {
  const key = await put("book", LONG)
  const [event] = queue.messages
  if (event) await queue.deliver(event)
  const range = queue.messages.find(({ body }) => body.includes('"pages"'))
  if (range) await queue.deliver(range)
  await remove(key, "0B")
  const removal = queue.messages.at(-1)
  if (removal) await queue.deliver(removal)
  await queue.drain()
  expect(await shelf.rows("select id, status from documents")).toEqual([{ id: "book", status: "deleted" }])
  expect(
    await shelf.rows("select 1 from chunks union all select 1 from page_drafts union all select 1 from pages"),
  ).toEqual([])
  expect([...shelf.objects.held.keys()]).toEqual([])
})

test("an event reads the version that it tells of, and the last event wins in whichever order they come", async () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const id = `log-${order.join("")}`
    const key = await put(id, "The first words.\fEnd.", "0A")
    await overwrite(key, "The second words.\fEnd.", "0B")
    const told = queue.messages.splice(0)
    for (const at of order) {
      const message = told[at]
      if (message) await queue.deliver(message)
      // The first event doesn't read what the second is about.
      const [row] = await shelf.rows("select content from chunks where document_id = $1 order by ordinal", [id])
      expect(row?.["content"]).toBe(at === 0 && order[0] === 0 ? "The first words." : "The second words.")
    }
    for (const message of told) await queue.deliver(message)
    expect(await shelf.documents.get(OURS, id)).toMatchObject({ status: "ready" })
    const [row] = await shelf.rows("select content from chunks where document_id = $1 order by ordinal", [id])
    expect(row?.["content"]).toBe("The second words.")
  }
})

test("the removals that cleaning up brings about change nothing: of what was replaced, of what failed", async () => {
  const first = await put("log", "The first words.\fEnd.", "0A")
  await queue.drain()
  const second = await put("log", "The second words.\fEnd.", "0A")
  await queue.drain()
  expect([...shelf.objects.held.keys()].filter((key) => key.startsWith("uploads/"))).toEqual([second])
  queue.notify("ObjectRemoved:DeleteMarkerCreated", first, { sequencer: "0B" })
  const third = await put("log", "locked", "0A")
  await queue.drain()
  queue.notify("ObjectRemoved:DeleteMarkerCreated", third, { sequencer: "0B" })
  await queue.drain()
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "failed", chunks: 2 })
  await remove(second, "0B")
  await queue.drain()
  expect(await shelf.documents.list(OURS, { limit: 10 })).toEqual({ documents: [] })
})

test("a removal takes off an upload that was to replace what is served, and leaves that", async () => {
  await put("log", "The first words.\fEnd.", "0A")
  await queue.drain()
  const key = await put("log", LONG, "0A")
  const [event] = queue.messages
  if (event) await queue.deliver(event)
  await remove(key, "0B")
  await queue.drain()
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "ready", chunks: 2 })
})

test("a file under a key that nobody asked for isn't read: its document says why, and what is served or under way stays", async () => {
  const dropped = async (key: string) => {
    await shelf.objects.put(key, Buffer.from("Dropped words.\fEnd."), "text/plain")
    queue.notify("ObjectCreated:Put", key, { sequencer: "0A" })
  }
  await put("log", "The first words.\fEnd.")
  await queue.drain()
  await dropped("uploads/ours/log/dropped")
  await dropped("uploads/ours/new/dropped")
  await dropped("uploads/ours/Annual Report (2).pdf")
  await dropped("uploads/loose.pdf")
  await queue.drain()
  const reason = { code: "invalid_request", message: expect.stringContaining("POST /documents") }
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "failed", chunks: 2, error: reason })
  expect(await shelf.documents.get(OURS, "new")).toMatchObject({ status: "failed", chunks: 0, error: reason })
  const { documents } = await shelf.documents.list(OURS, { limit: 10 })
  expect(documents.map(({ id, title }) => [id.replace(/-[0-9a-f]{12}$/, ""), title])).toEqual([
    ["annual-report-2", "Annual Report (2).pdf"],
    ["log", "log (1)"],
    ["new", "dropped"],
  ])
  expect(shelf.lines.join()).toContain("names no document")
  expect(shelf.lines.join()).not.toContain("loose")
  // Told again, or put again, it is not read either.
  await dropped("uploads/ours/new/dropped")
  queue.notify("ObjectCreated:Put", "uploads/ours/new/dropped", { sequencer: "0F" })
  await queue.drain()
  expect(await shelf.documents.get(OURS, "new")).toMatchObject({ status: "failed", chunks: 0, error: reason })
  // Under way stays under way.
  await put("busy", LONG)
  const [event] = queue.messages
  if (event) await queue.deliver(event)
  await dropped("uploads/ours/busy/dropped")
  await queue.drain()
  expect(await shelf.documents.get(OURS, "busy")).toMatchObject({ status: "ready", chunks: 200 })
})

test("a document whose id is too long for a key is found by its key's row", async () => {
  const id = `report-${"x".repeat(300)}`
  await put(id, "Long name.\fEnd.")
  await queue.drain()
  expect(await shelf.documents.get(OURS, id)).toMatchObject({ status: "ready", chunks: 2 })
})

test("a message that comes while a dead process holds the job isn't the last of it", async () => {
  await put("log", "One page.\fAnother.")
  const [message] = queue.messages
  if (!message) throw new Error("no message")
  expect(await queue.deliver(message, { crashesAt: 1 })).toBe("crashed")
  // The lease of 60 s may be longer than the queue waits.
  expect(await queue.deliver(message)).toBe("done")
  const waits = queue.messages.map(({ delayS }) => delayS)
  expect(waits).toEqual([expect.any(Number)])
  expect(waits[0]).toBeGreaterThan(50)
  expect(waits[0]).toBeLessThanOrEqual(62)
  await queue.drain()
  expect(await shelf.documents.get(OURS, "log")).toMatchObject({ status: "ready", chunks: 2 })
})

test("ranges of a job that somebody has taken over read nothing", async () => {
  await put("book", LONG)
  const [event] = queue.messages
  if (event) await queue.deliver(event)
  const [ranges, others] = [
    queue.messages.filter(({ body }) => body.includes('"pages"')),
    queue.messages.filter(({ body }) => !body.includes('"pages"')),
  ]
  queue.clear()
  queue.messages.push(...others)
  await shelf.rows("update ingest_jobs set lease_until = now()")
  if (others[0]) await queue.deliver(others[0])
  const read: number[] = []
  const fileReader = createTextFileReader({ beforePage: (page) => void read.push(page) })
  for (const range of ranges) expect(await queue.deliver(range, { fileReader })).toBe("done")
  expect(read).toEqual([])
  await queue.drain()
  expect(await shelf.documents.get(OURS, "book")).toMatchObject({ status: "ready", chunks: 200 })
})

test("a file that is uploaded again where it lies already is told of again: nothing else would read it", async () => {
  await shelf.add(OURS, "log", "One page.\fAnother.", { flat: true })
  await shelf.worker().run(OURS, "log")
  await shelf.index(OURS, [{ id: "log", content: "Indexed words." }])
  const [key = ""] = [...shelf.objects.held.keys()].filter((held) => held.startsWith("uploads/"))
  const before = (await shelf.objects.head(key))?.version
  expect(await shelf.add(OURS, "log", "One page.\fAnother.", { flat: true })).toBe("queued")
  expect((await shelf.objects.head(key))?.version).not.toBe(before)
})

test("a message that is lost with its process is made up for by the one that looks after the job", async () => {
  await put("book", LONG)
  const [event] = queue.messages
  if (event) await queue.deliver(event)
  // All ranges are gone, as they are when somebody purges the queue.
  const watch = queue.messages.find(({ delayS }) => delayS === 900)
  queue.clear()
  if (watch) queue.messages.push(watch)
  await queue.drain()
  expect(await shelf.documents.get(OURS, "book")).toMatchObject({ status: "ready", chunks: 200 })
})
