import { afterAll, beforeAll, expect, test } from "vitest"
import { currentActivity, runFor } from "../lib/activity.ts"
import { createCountCollection } from "../lib/documents/collection.ts"
import { createIngestQueue } from "../lib/documents/ingest/ingest-queue.ts"
import { createLog } from "../lib/log.ts"
import { createTestQueue } from "./ingest-messages.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"
import { createTextFileReader } from "./text-file-reader.ts"

const TENANT = "ours"
const REQUEST = "upload-of-the-register"

let shelf: Ingesting
beforeAll(async () => {
  shelf = await openIngesting()
})
afterAll(() => shelf.close())

const inRequest = <T>(requestId: string, work: () => Promise<T>) => runFor({ requestId }, "request", work)
const rowOf = async (id: string) =>
  (await shelf.rows("select request_id from ingest_jobs where document_id = $1 and state <> 'superseded'", [id]))[0]

test("a job that failed names the request that brought its upload, wherever its error is shown and in its worker's log", async () => {
  await inRequest(REQUEST, () => shelf.add(TENANT, "secret", "%secret"))
  // A worker of later, on its own account: it works for that request too.
  const seen: (string | null)[] = []
  const failing = createTextFileReader()
  const worker = shelf.worker({
    fileReader: {
      ...failing,
      inspect: async () => {
        seen.push(currentActivity().requestId)
        throw new Error("the reader broke")
      },
    },
  })
  await worker.run(TENANT, "secret")
  // Nor do they work for another request that only came across it.
  for (let i = 0; i < 2; i++) await inRequest("another-request", () => worker.run(TENANT, "secret"))
  expect(seen).toEqual([REQUEST, REQUEST, REQUEST])
  expect((await shelf.documents.get(TENANT, "secret")).error).toMatchObject({ request_id: REQUEST })
  const { documents } = await shelf.documents.list(TENANT, { limit: 10 })
  expect(documents.find(({ id }) => id === "secret")?.error).toMatchObject({ request_id: REQUEST })
  const { failures } = await createCountCollection(shelf.database)(TENANT)
  expect(failures.map(({ error }) => error.request_id)).toEqual([REQUEST])
  const said = shelf.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(said.find(({ message }) => message === "an upload has failed")).toMatchObject({ requestId: REQUEST })
})

test("a job that a bucket's event makes names the request that asked for the URL, not the one that noticed the file", async () => {
  const queue = createTestQueue(shelf)
  const request = { id: "later", fileName: "later.txt", options: { metadata: {}, flat: true } }
  const made = await inRequest(REQUEST, () => shelf.worker().presign(TENANT, request, "text/plain"))
  const key = new URL(made?.upload.url ?? "").pathname.slice(1)
  await shelf.objects.put(key, Buffer.from("The register."), "text/plain")
  queue.notify("ObjectCreated:Put", key, { sequencer: "0A" })
  const { bytes } = (await shelf.objects.head(key)) ?? { bytes: 0 }
  await inRequest("somebody-else", () => shelf.worker().received(TENANT, "later", { key, bytes, sequencer: "0A" }))
  expect(await rowOf("later")).toEqual({ request_id: REQUEST })
})

test("what rides on a write, as the retention does, is no part of the request that wrote", async () => {
  const seen: (string | null)[] = []
  const leftovers = async () => {
    seen.push(currentActivity().requestId)
    return []
  }
  const log = createLog({ level: "error", write: () => {} })
  const ingest = { ...shelf.worker(), leftovers }
  const queue = createIngestQueue({ ingest, documentsAtOnce: 1, isAlone: false, log })
  await inRequest(REQUEST, async () => queue.wrote(TENANT))
  await expect.poll(() => seen).toEqual([null])
  await queue.close()
})

test("work that no request asked for names none", async () => {
  await shelf.add(TENANT, "nobody", "Nobody's.")
  expect(await rowOf("nobody")).toEqual({ request_id: null })
})
