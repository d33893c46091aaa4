import * as z from "zod"
import { runFor } from "../../lib/activity.ts"
import { BucketNotification, bucketRecords, TestNotification } from "../../lib/documents/ingest/bucket-notification.ts"
import type { Ingest } from "../../lib/documents/ingest/create-ingest.ts"
import { IngestMessage, type SendMessages } from "../../lib/documents/ingest/ingest-message.ts"
import { createSweepLeftovers } from "../../lib/documents/ingest/sweep-leftovers.ts"
import { createWorkMessage, type Delivery, NotDone } from "../../lib/documents/ingest/work-message.ts"
import { createWorkRecord } from "../../lib/documents/ingest/work-record.ts"
import type { Log } from "../../lib/log.ts"
import { WebhooksMessage, type WebhookWakeups } from "../../lib/webhooks/webhook-wakeups.ts"

interface IngestEventsParts {
  readonly ingest: Ingest
  readonly send: SendMessages
  /** Tells others what became of uploads. Null: nobody is told. */
  readonly webhooks?: WebhookWakeups | null
  readonly log: Log
  /** How often the queue hands a message out before it puts it aside: `infra/queue.ts`. */
  readonly receivesMax?: number
}

/** What Lambda hands to a handler beside the event. */
interface LambdaContext {
  readonly awsRequestId?: string
  getRemainingTimeInMillis(): number
}

/** Messages that the queue is to hand out again. */
interface BatchResponse {
  readonly batchItemFailures: { readonly itemIdentifier: string }[]
}

const SqsEvent = z.object({
  Records: z.array(
    z.object({
      messageId: z.string(),
      body: z.string(),
      attributes: z.object({ ApproximateReceiveCount: z.coerce.number().int().min(1) }),
    }),
  ),
})
type SqsRecord = z.infer<typeof SqsEvent>["Records"][number]

const Body = z.union([TestNotification, BucketNotification, IngestMessage, WebhooksMessage])

const RECEIVES_MAX = 3
/** Left for what is under way when the time is over, ms: a page, a batch of vectors, a transaction. */
const RESERVE_MS = 30_000

/** What failed is in the log already. */
class Reported extends Error {}

/** The Lambda of the queue: files that came or went, and the messages into which long ones are split. */
export function createIngestEvents({
  ingest,
  send,
  webhooks = null,
  log,
  receivesMax = RECEIVES_MAX,
}: IngestEventsParts) {
  const attempt = createWorkMessage({ ingest, send })
  /** Reports a failure where it is known for which request it worked. */
  async function workMessage(message: IngestMessage, delivery: Delivery): Promise<void> {
    try {
      await attempt(message, delivery)
    } catch (error) {
      report(error, delivery)
      // It may have failed for good, which is told too.
      await plan(message.tenant)
      throw new Reported()
    }
  }
  const workRecord = createWorkRecord({ ingest, workMessage, log })

  const sweep = createSweepLeftovers({ ingest, log })

  function report(error: unknown, { names, receives }: Delivery): void {
    const fields = { ...names, receives, error }
    if (error instanceof NotDone && receives < receivesMax) log.warn("a message was not done", fields)
    else log.error("a message was not done", fields)
  }

  /** Sweeps ride on writes: nothing here wakes up by itself. */
  async function after(tenant: string, { signal }: Delivery): Promise<void> {
    await sweep(tenant, signal)
    await plan(tenant)
  }

  /** Never throws: what a message did is done, and would be done again. The tenant's next message plans what this one could not. */
  async function plan(tenant: string): Promise<void> {
    try {
      await webhooks?.plan(tenant)
    } catch (error) {
      log.warn("the sending of webhooks could not be planned; the tenant's next message does", { error })
    }
  }

  async function work({ body }: SqsRecord, delivery: Delivery): Promise<void> {
    const parsed = Body.parse(JSON.parse(body))
    if ("Event" in parsed) return
    if ("kind" in parsed && parsed.kind === "webhooks") {
      return webhooks?.work(parsed.tenant, delivery.signal)
    }
    if ("kind" in parsed) {
      await runFor(parsed, "ingest", () => workMessage(parsed, delivery))
      return after(parsed.tenant, delivery)
    }
    for (const record of bucketRecords(parsed)) {
      const tenant = await workRecord(record, delivery)
      if (tenant !== null) await after(tenant, delivery)
    }
  }

  return async (event: unknown, context: LambdaContext): Promise<BatchResponse> => {
    const batchItemFailures: BatchResponse["batchItemFailures"] = []
    const time = new AbortController()
    const leftMs = context.getRemainingTimeInMillis() - RESERVE_MS
    if (leftMs <= 0) time.abort()
    const timer = setTimeout(() => time.abort(), leftMs)
    try {
      for (const record of SqsEvent.parse(event).Records) {
        const { messageId: itemIdentifier } = record
        const receives = record.attributes.ApproximateReceiveCount
        const names = { invocationId: context.awsRequestId, messageId: itemIdentifier }
        const delivery = { receives, receivesMax, signal: time.signal, names }
        try {
          // One for which there is no time left is handed out again.
          time.signal.throwIfAborted()
          await work(record, delivery)
        } catch (error) {
          batchItemFailures.push({ itemIdentifier })
          if (!(error instanceof Reported)) report(error, delivery)
        }
      }
    } finally {
      clearTimeout(timer)
    }
    return { batchItemFailures }
  }
}
