import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createReceive } from "../lib/documents/ingest/receive.ts"
import { createSweepLeftovers } from "../lib/documents/ingest/sweep-leftovers.ts"
import { IngestOptions } from "../lib/documents/ingest/upload.ts"
import { createLog } from "../lib/log.ts"
import type { ObjectStore } from "../lib/objects/object-store.ts"
import { createTestQueue, type TestQueue } from "./ingest-messages.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
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
const PAGES = Array.from({ length: 12 }, (_, i) => `Page ${i + 1} of the register.`).join("\f")
const keysOf = (id: string) => [...shelf.objects.held.keys()].filter((key) => key.split("/")[2] === id)
const jobsOf = (id: string) => shelf.rows("select state from ingest_jobs where document_id = $1", [id])
const presign = (id: string) =>
  shelf.worker().presign(OURS, { id, fileName: `${id}.txt`, options: IngestOptions.parse({}) }, "text/plain")

async function ingested(id: string): Promise<void> {
  await shelf.add(OURS, id, PAGES)
  await shelf.worker().run(OURS, id)
}

/** A store that stops, or goes still, after some deletes. */
function failingAfter(deletes: number, then: () => Promise<void>): ObjectStore {
  let left = deletes
  return {
    ...shelf.objects,
    async delete(keys) {
      for (const key of keys) {
        if (left-- <= 0) return then()
        await shelf.objects.delete([key])
      }
    },
  }
}

/** One message to the ingesting Lambda, about a document that has nothing to do with the leftovers. */
async function anotherMessage(): Promise<void> {
  await shelf.add(OURS, "other", "Another file.")
  await queue.send([{ kind: "run", tenant: OURS, documentId: "other" }])
  await queue.drain()
}

test("a second delete while the store is away keeps what the first one marked, a picture that an import brings anew with it", async () => {
  await ingested("album")
  const [made, held] = ["bundles/ours/album/1.png", "bundles/ours/album/2.png"]
  await shelf.rows(
    "update chunks set image_key = case when ordinal = (select min(ordinal) from chunks) then $1 else $2 end where document_id = 'album'",
    [made, held],
  )
  // An import under way brings the second picture anew.
  await shelf.rows(
    "insert into uploads (source_account_id, key, document_id, expires_at) values ('ours', $1, 'album', now() + interval '1 hour')",
    [held],
  )
  expect(await shelf.documents.delete(OURS, "album")).toBe(true)
  expect(await shelf.documents.delete(OURS, "album")).toBe(false)
  const marks = "select key, expires_at <= now() as over from uploads where document_id = 'album' order by key"
  expect(await shelf.rows(marks)).toEqual([
    { key: made, over: true },
    { key: held, over: true },
  ])
})

test("a delete that the store cut off half-way is finished by the next ingestion, and takes nothing else along", async () => {
  await ingested("register")
  await ingested("kept")
  const objects = failingAfter(5, () => Promise.reject(new Error("SlowDown")))
  expect(await shelf.worker({ objects }).delete(OURS, "register")).toBe(true)
  expect(keysOf("register")).toHaveLength(8)
  expect(await jobsOf("register")).toEqual([{ state: "superseded" }])
  await anotherMessage()
  expect(keysOf("register")).toEqual([])
  expect(await jobsOf("register")).toEqual([])
  expect(keysOf("kept")).toHaveLength(13)
  expect(await jobsOf("other")).toEqual([{ state: "done" }])
})

test("a delete whose process ended half-way is finished by the word of its own upload's removal", async () => {
  await ingested("register")
  const [upload = ""] = keysOf("register").filter((key) => key.startsWith("uploads/"))
  const stopped = new Promise<void>((resolve) => {
    const objects = failingAfter(5, () => {
      resolve()
      return new Promise(() => {})
    })
    void shelf.worker({ objects }).delete(OURS, "register")
  })
  await stopped
  queue.notify("ObjectRemoved:DeleteMarkerCreated", upload, { sequencer: "0B" })
  await queue.drain()
  expect(keysOf("register")).toEqual([])
  expect(await jobsOf("register")).toEqual([])
})

test("a clean-up ends with its time, even if the store does not answer, and leaves its mark", async () => {
  await ingested("register")
  await shelf.documents.delete(OURS, "register")
  const time = new AbortController()
  const objects = failingAfter(5, () => {
    time.abort()
    return new Promise(() => {})
  })
  await shelf.worker({ objects }).cleanUp(OURS, "register", time.signal)
  expect(keysOf("register")).toHaveLength(8)
  expect(await shelf.worker().leftovers(OURS)).toEqual(["register"])
})

test("a clean-up that runs out of time before it has listed everything has made some way", async () => {
  await ingested("register")
  await shelf.documents.delete(OURS, "register")
  for (let i = 0; i < 2_500; i++) {
    shelf.objects.held.set(`images/ours/register/${i}.png`, { body: new Uint8Array(), contentType: "image/png" })
  }
  const stop = new AbortController()
  const objects: ObjectStore = {
    ...shelf.objects,
    async delete(keys) {
      await shelf.objects.delete(keys)
      stop.abort()
    },
  }
  await shelf.worker({ objects }).cleanUp(OURS, "register", stop.signal)
  expect(keysOf("register")).toHaveLength(1_513)
  await shelf.worker().cleanUp(OURS, "register")
  expect(keysOf("register")).toEqual([])
  expect(await shelf.worker().leftovers(OURS)).toEqual([])
})

test("a delete gives its clean-up a time", async () => {
  let given: AbortSignal | undefined
  const { database, objects, documents } = shelf
  const cleanUp = async (_tenant: string, _id: string, signal?: AbortSignal) => {
    given = signal
  }
  const settings = { documentBytesMax: 1 }
  await createReceive({ database, objects, documents, settings, cleanUp }).delete(OURS, "register")
  expect(given?.aborted).toBe(false)
})

test("uploads that were announced and never came are forgotten by the next ingestion; those that still may come are not", async () => {
  for (const id of ["never", "soon"]) await presign(id)
  await shelf.rows("update uploads set expires_at = now() - interval '1 second' where document_id = 'never'")
  await anotherMessage()
  expect(await shelf.rows("select document_id from uploads")).toEqual([{ document_id: "soon" }])
})

test("drafts and pictures of a job that failed, and whose process ended there, go with the next ingestion", async () => {
  await shelf.add(OURS, "broken", PAGES)
  const embed = () => Promise.reject(new Error("the model does not answer"))
  await shelf.worker({ embedder: { ...createWordEmbedder(), embed } }).run(OURS, "broken")
  expect(keysOf("broken")).toHaveLength(13)
  await shelf.rows("update ingest_jobs set state = 'failed', error_code = 'internal', error = 'x', worker = null")
  await anotherMessage()
  expect(keysOf("broken")).toEqual([])
  expect(await shelf.rows("select 1 from page_drafts")).toEqual([])
  expect(await jobsOf("broken")).toEqual([{ state: "failed" }])
})

test("a process sweeps a tenant once in five minutes, 50 documents at a time, and not when its time is over", async () => {
  const swept: string[] = []
  let now = 0
  const ingest = {
    leftovers: async (tenant: string, countMax?: number) => Array.from({ length: countMax ?? 0 }, () => tenant),
    cleanUp: async (tenant: string) => void swept.push(tenant),
  }
  const sweep = createSweepLeftovers({ ingest, log: createLog({ level: "error", write: () => {} }), now: () => now })
  const { signal } = new AbortController()
  await sweep("a", AbortSignal.abort())
  expect(swept).toEqual([])
  await sweep("a", signal)
  await sweep("a", signal)
  expect(swept).toHaveLength(50)
  await sweep("b", signal)
  now += 299_999
  await sweep("a", signal)
  expect(swept).toHaveLength(100)
  now += 1
  await sweep("a", signal)
  expect(swept.filter((tenant) => tenant === "a")).toHaveLength(100)
})
