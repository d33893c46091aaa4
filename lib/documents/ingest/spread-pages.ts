import { randomUUID } from "node:crypto"
import type { PagesMessage, SendMessages } from "./ingest-message.ts"
import type { Jobs } from "./jobs.ts"
import { LEASE_MS } from "./jobs.ts"
import type { HeldJob } from "./upload.ts"

/** Pages of a file that one worker reads on its own, at most: a second of reading each, beside layout and vectors. */
export const PAGES_ALONE_MAX = 32
/** Pages of a message. */
const PAGES_PER_MESSAGE = 16
/**
 * How long pages may wait in the queue and be read, with none of them done, before somebody takes the job up anew, ms. As
 * long as SQS can delay the message that looks after it.
 */
export const SPREAD_LEASE_MS = 900_000

interface SpreadParts {
  readonly jobs: Pick<Jobs, "handOver">
  readonly send: SendMessages
}

/**
 * Hands a job on to whoever reads its pages, as messages of 16, with one more that looks after it. False when the job is
 * no longer held. Throws when the messages can't be sent, and then the job is back.
 */
export async function spreadPages({ jobs, send }: SpreadParts, job: HeldJob, missing: readonly number[]) {
  const { tenant, documentId, generation } = job
  const worker = `pages:${randomUUID()}`
  // Before the messages: one that came first would find that it has no job.
  if (!(await jobs.handOver(job, worker, SPREAD_LEASE_MS))) return false
  try {
    await send([{ kind: "run", tenant, documentId, isWatch: true }], SPREAD_LEASE_MS / 1_000)
    await send(rangesOf(missing).map((range) => ({ kind: "pages", tenant, documentId, generation, worker, ...range })))
    return true
  } catch (error) {
    await jobs.handOver({ ...job, worker }, job.worker, LEASE_MS)
    throw error
  }
}

function rangesOf(pages: readonly number[]): Pick<PagesMessage, "from" | "to">[] {
  const ranges: Pick<PagesMessage, "from" | "to">[] = []
  for (let i = 0; i < pages.length; i += PAGES_PER_MESSAGE) {
    const [from, to] = [pages[i], pages[Math.min(i + PAGES_PER_MESSAGE, pages.length) - 1]]
    if (from !== undefined && to !== undefined) ranges.push({ from, to })
  }
  return ranges
}
