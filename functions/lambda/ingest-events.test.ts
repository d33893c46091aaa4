import { expect, test } from "vitest"
import type { Ingest } from "../../lib/documents/ingest/create-ingest.ts"
import { createLog } from "../../lib/log.ts"
import { createIngestEvents } from "./ingest-events.ts"

/** A handler whose ingestion says what it is asked to do, and fails for documents called `bad`. */
function handlerOf() {
  const done: unknown[] = []
  const lines: string[] = []
  const unused = () => Promise.reject(new Error("not expected here"))
  const ingest: Ingest = {
    add: unused,
    presign: unused,
    collect: unused,
    delete: unused,
    reset: unused,
    runRange: unused,
    standing: async () => null,
    reopen: unused,
    pending: unused,
    leftovers: async () => [],
    cleanUp: async () => {},
    sweep: unused,
    documentOf: async () => null,
    originOf: async () => ({}),
    async received(tenant, id, event) {
      done.push({ received: [tenant, id], ...event })
      return "queued"
    },
    async removed(tenant, id, { key, sequencer }) {
      done.push({ removed: [tenant, id], key, sequencer })
      return true
    },
    async run(tenant, id, options) {
      if (id === "bad") throw new Error("the database does not answer")
      done.push({ run: [tenant, id], aborted: options?.signal?.aborted })
      return "ready"
    },
  }
  const log = createLog({ level: "info", write: (line) => lines.push(line) })
  const handle = createIngestEvents({ ingest, send: async () => {}, log })
  return {
    done,
    lines,
    handle: (event: unknown, ms = 300_000) => handle(event, { getRemainingTimeInMillis: () => ms }),
  }
}

/** As Lambda gives it, with what isn't read. */
function sqs(...bodies: unknown[]) {
  const Records = bodies.map((body, i) => ({
    messageId: `m${i}`,
    receiptHandle: "AQEB",
    body: typeof body === "string" ? body : JSON.stringify(body),
    attributes: { ApproximateReceiveCount: "1", SentTimestamp: "1700000000000", SenderId: "AIDA" },
    messageAttributes: {},
    md5OfBody: "00",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:ingest",
    awsRegion: "eu-central-1",
  }))
  return { Records }
}

const run = (documentId: string) => ({ kind: "run", tenant: "ours", documentId })
const s3 = (eventName: string, object: object) => ({
  Records: [{ eventVersion: "2.1", eventSource: "aws:s3", eventName, s3: { bucket: { name: "archive" }, object } }],
})

test("the answer names the message that failed, and no other", async () => {
  const { handle, done, lines } = handlerOf()
  const event = sqs(run("one"), run("bad"), "no JSON", { kind: "dance" }, run("two"))
  const failed = (await handle(event)).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
  expect(failed).toEqual(["m1", "m2", "m3"])
  expect(done).toMatchObject([{ run: ["ours", "one"] }, { run: ["ours", "two"] }])
  expect(lines.join()).not.toContain("no JSON")
})

test("an S3 event's key is decoded, `+` being a space, and its size, version and sequencer are passed on", async () => {
  const { handle, done } = handlerOf()
  const object = {
    key: "uploads/ours/report_20_32/a%2Bb+c",
    size: 5,
    versionId: "v1",
    sequencer: "0055AED6DCD90281E5",
    eTag: "d4",
  }
  await handle(sqs(s3("ObjectCreated:CompleteMultipartUpload", object)))
  const key = "uploads/ours/report_20_32/a+b c"
  expect(done[0]).toMatchObject({ received: ["ours", expect.stringMatching(/^a-b-c-/)], key, bytes: 5, version: "v1" })
  expect(done[0]).toMatchObject({ sequencer: "0055AED6DCD90281E5" })
  expect(done[1]).toMatchObject({ run: ["ours", expect.stringMatching(/^a-b-c-/)] })
})

test("removals come as deletes and as delete markers; test messages and other events are done with at once", async () => {
  const { handle, done } = handlerOf()
  const object = { key: "uploads/ours/log/x", sequencer: "0A" }
  const answer = await handle(
    sqs(
      s3("ObjectRemoved:Delete", object),
      s3("ObjectRemoved:DeleteMarkerCreated", object),
      s3("ObjectTagging:Put", object),
      { Service: "Amazon S3", Event: "s3:TestEvent", Time: "2014-10-13T15:57:02.089Z", Bucket: "archive" },
    ),
  )
  expect(answer).toEqual({ batchItemFailures: [] })
  const removed = { removed: ["ours", "log"], key: object.key, sequencer: "0A" }
  expect(done).toEqual([removed, removed])
})

test("a message that there is no time for is handed out again", async () => {
  const { handle, done } = handlerOf()
  const answer = await handle(sqs(run("one")), 29_000)
  expect(answer.batchItemFailures).toEqual([{ itemIdentifier: "m0" }])
  expect(done).toEqual([])
})
