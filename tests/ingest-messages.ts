import { createIngestEvents } from "../functions/lambda/ingest-events.ts"
import type { FileReader } from "../lib/documents/file-reader.ts"
import type { IngestMessage, SendMessages } from "../lib/documents/ingest/ingest-message.ts"
import { createLog } from "../lib/log.ts"
import type { Ingesting } from "./ingesting.ts"
import { createTextFileReader } from "./text-file-reader.ts"
import { createWordEmbedder } from "./word-embedder.ts"

/** A message in the queue. */
export interface Queued {
  readonly id: string
  readonly body: string
  readonly delayS: number
  receives: number
}

/** One process that works on one message. */
export interface Invocation {
  readonly fileReader?: FileReader
  /** How long it may last, ms; its last 30 s are kept back. */
  readonly remainingMs?: number
  /** Ends the process, as running out of memory does, before this page or batch of vectors, from 0. */
  readonly crashesAt?: number
}

/** What one delivery came to. */
export type DeliveryOutcome = "done" | "again" | "put aside" | "crashed"

/** A queue as SQS is, in memory, with the ingesting Lambda behind it. */
export interface TestQueue {
  /** What waits. */
  readonly messages: Queued[]
  readonly deadLetters: Queued[]
  readonly send: SendMessages
  /** What S3 says of a key, as a message. */
  notify(eventName: string, key: string, object?: { readonly sequencer?: string; readonly versionId?: string }): void
  /** Hands one message to a process of its own. */
  deliver(message: Queued, invocation?: Invocation): Promise<DeliveryOutcome>
  /** Delivers what waits, first come first served, what is delayed last, until nothing does; leases run out meanwhile. */
  drain(invocation?: Invocation): Promise<void>
  clear(): void
}

const RECEIVES_MAX = 3

/** Opens one before `shelf`. */
export function createTestQueue(shelf: Ingesting): TestQueue {
  const messages: Queued[] = []
  const deadLetters: Queued[] = []
  const log = createLog({ level: "debug", write: (line) => shelf.lines.push(line) })
  const words = createWordEmbedder()
  let count = 0
  const push = (body: unknown, delayS = 0) =>
    void messages.push({ id: `m${++count}`, body: JSON.stringify(body), delayS, receives: 0 })
  const send: SendMessages = async (sent: readonly IngestMessage[], delayS) => {
    for (const message of sent) push(message, delayS)
  }

  async function deliver(message: Queued, invocation: Invocation = {}): Promise<DeliveryOutcome> {
    message.receives++
    const { crashesAt = Number.POSITIVE_INFINITY, remainingMs = 300_000 } = invocation
    let crash = (): void => {}
    const crashed = new Promise<"crashed">((resolve) => {
      crash = () => resolve("crashed")
    })
    let read = 0
    const step = async (): Promise<void> => {
      if (read++ < crashesAt) return
      crash()
      // Whatever it was about to do, it never does.
      await new Promise(() => {})
    }
    const fileReader = invocation.fileReader ?? createTextFileReader({ beforePage: step })
    const embedder = {
      ...words,
      embed: async (...args: Parameters<typeof words.embed>) => {
        await step()
        return words.embed(...args)
      },
    }
    const ingest = shelf.worker({ fileReader, concurrency: 1, embedder })
    const handler = createIngestEvents({ ingest, send, log, receivesMax: RECEIVES_MAX })
    const attributes = { ApproximateReceiveCount: String(message.receives) }
    const event = { Records: [{ messageId: message.id, body: message.body, attributes, eventSource: "aws:sqs" }] }
    const answer = await Promise.race([handler(event, { getRemainingTimeInMillis: () => remainingMs }), crashed])
    const isDone = answer !== "crashed" && answer.batchItemFailures.length === 0
    const isLast = message.receives >= RECEIVES_MAX
    if (isDone || isLast) {
      const at = messages.indexOf(message)
      if (at >= 0) messages.splice(at, 1)
    }
    if (isDone) return "done"
    if (isLast) deadLetters.push(message)
    return answer === "crashed" ? "crashed" : isLast ? "put aside" : "again"
  }

  return {
    messages,
    deadLetters,
    send,
    notify(eventName, key, object = {}) {
      const encoded = encodeURIComponent(key).replaceAll("%20", "+").replaceAll("%2F", "/")
      const s3 = { bucket: { name: "archive" }, object: { key: encoded, size: 1_000, ...object } }
      push({ Records: [{ eventVersion: "2.1", eventSource: "aws:s3", eventName, s3 }] })
    },
    deliver,
    async drain(invocation) {
      for (let deliveries = 0; messages.length > 0; deliveries++) {
        if (deliveries > 500) throw new Error("the queue never gets empty")
        const next = messages.find(({ delayS }) => delayS === 0) ?? messages[0]
        if (!next) return
        if (next.delayS > 0) await shelf.rows("update ingest_jobs set lease_until = now() where state = 'processing'")
        await deliver(next, invocation)
      }
    },
    clear() {
      messages.length = 0
      deadLetters.length = 0
    },
  }
}
