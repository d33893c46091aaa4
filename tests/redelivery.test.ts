import { afterAll, beforeAll, expect, test } from "vitest"
import { faultsOf } from "./faults/faultless.ts"
import { createTestQueue, type Queued, type TestQueue } from "./ingest-messages.ts"
import { type Ingesting, openIngesting } from "./ingesting.ts"

// Order within a key, lost messages and dead letters: tests/ingest-at-scale.test.ts.

let shelf: Ingesting
let queue: TestQueue
beforeAll(async () => {
  shelf = await openIngesting()
  queue = createTestQueue(shelf)
})
afterAll(() => shelf.close())

const TENANT = "ours"
const TEXT = Array.from({ length: 12 }, (_, i) => `Page ${i + 1} of the register.\nEntry number ${i}.`).join("\f")

async function announce(id: string): Promise<string> {
  const request = { id, fileName: `${id}.txt`, options: { metadata: {}, flat: true } }
  const made = await shelf.worker().presign(TENANT, request, "text/plain")
  return new URL(made?.upload.url ?? "").pathname.slice(1)
}

async function put(key: string, sequencer: string): Promise<void> {
  await shelf.objects.put(key, Buffer.from(TEXT), "text/plain")
  const versionId = (await shelf.objects.head(key))?.version
  queue.notify("ObjectCreated:Put", key, { sequencer, ...(versionId !== undefined && { versionId }) })
}

/** The newest message and another delivery of it. */
function twins(): [Queued, Queued] {
  const message = queue.messages.at(-1)
  if (!message) throw new Error("nothing waits")
  const twin = { ...message, id: `${message.id} again` }
  queue.messages.push(twin)
  return [message, twin]
}

const chunksOf = async (id: string) =>
  (await shelf.rows("select id from chunks where document_id = $1 order by ordinal", [id])).map((row) => row["id"])

test("a message that is delivered again after its work is done changes nothing", async () => {
  const key = await announce("again")
  await put(key, "0A")
  const [message, twin] = twins()
  expect(await queue.deliver(message)).toBe("done")
  const chunks = await chunksOf("again")
  expect(chunks.length).toBeGreaterThan(0)
  expect(await queue.deliver(twin)).toBe("done")
  await queue.drain()
  expect(await chunksOf("again")).toEqual(chunks)
  expect(await faultsOf(shelf)).toEqual({})
})

test("a message that is delivered to two processes at once is worked on by one", async () => {
  const key = await announce("at-once")
  await put(key, "0A")
  const [message, twin] = twins()
  await Promise.all([queue.deliver(message), queue.deliver(twin)])
  await queue.drain()
  expect(await shelf.documents.get(TENANT, "at-once")).toMatchObject({ status: "ready" })
  expect(await chunksOf("at-once")).toEqual(await chunksOf("again"))
  expect(queue.deadLetters).toEqual([])
  expect(await faultsOf(shelf)).toEqual({})
})

test("a removal that is told of before its upload leaves no document", async () => {
  const key = await announce("early")
  await put(key, "0A")
  await shelf.objects.delete([key])
  const [created] = queue.messages
  queue.notify("ObjectRemoved:DeleteMarkerCreated", key, { sequencer: "0B" })
  const removed = queue.messages.at(-1)
  if (!created || !removed) throw new Error("both wait")
  expect(await queue.deliver(removed)).toBe("done")
  expect(await queue.deliver(created)).toBe("done")
  await queue.drain()
  const rows = await shelf.rows("select id from documents where id = 'early' and status <> 'deleted'")
  expect(rows).toEqual([])
  expect(await chunksOf("early")).toEqual([])
  expect(await faultsOf(shelf)).toEqual({})
})
