import type { Ingest, QueuedRun, RunOutcome } from "./create-ingest.ts"
import type { IngestMessage, PagesMessage, SendMessages } from "./ingest-message.ts"
import { CODES_OF_FILES, type JobFailure } from "./job-failure.ts"
import { SPREAD_LEASE_MS } from "./spread-pages.ts"

/** A message as the queue hands it out. */
export interface Delivery {
  /** How often it was handed out, this time included. */
  readonly receives: number
  /** The last time, after which it is put aside for a person to look at. */
  readonly receivesMax: number
  /** Aborts some time before the process ends. */
  readonly signal: AbortSignal
  /** What it is called elsewhere, for the log. */
  readonly names?: Readonly<Record<string, string | undefined>>
}

/** Thrown so that the queue hands the message out again, or puts it aside. Says nothing of the file. */
export class NotDone extends Error {
  override readonly name = "NotDone"
}

type RunMessage = Extract<IngestMessage, { kind: "run" }>

interface WorkMessageParts {
  readonly ingest: Pick<Ingest, "run" | "runRange" | "standing" | "reopen">
  readonly send: SendMessages
}

/** Wait before a job is looked at that failed and whose message won't come again, s. */
const RETRY_S = 60
/** After another worker's lease, s: clocks differ. */
const LEASE_GRACE_S = 2

/**
 * Does what one message says. When it returns, the message is done with: as long as a job is open, there is another that
 * will look at it. Throws `NotDone` when it isn't.
 */
export function createWorkMessage(parts: WorkMessageParts) {
  return async (message: IngestMessage, delivery: Delivery): Promise<void> => {
    if (message.kind === "pages") await workOnPages(parts, message, delivery)
    else await workOnJob(parts, message, delivery)
  }
}

async function workOnJob(parts: WorkMessageParts, message: RunMessage, delivery: Delivery): Promise<void> {
  const { ingest, send } = parts
  const { tenant, documentId, worker: from } = message
  const { receives, receivesMax, signal } = delivery
  const again: RunMessage = { kind: "run", tenant, documentId }
  // If this time ends the process too, nobody else would notice.
  if (receives >= receivesMax) await send([{ ...again, isWatch: true }], SPREAD_LEASE_MS / 1_000)
  let failure: JobFailure | null = null
  const onFailure: QueuedRun["onFailure"] = (reason) => {
    failure = reason
  }
  const queued = { send, from, crashesMax: receivesMax - 1, onFailure }
  const outcome = await ingest.run(tenant, documentId, { signal, queued })
  if (outcome === "paused") return send([again])
  if (outcome === "none") return afterNone(parts, message, delivery)
  if (outcome === "retry" && receives >= receivesMax) return send([again], RETRY_S)
  conclude(outcome, failure)
}

/** Somebody else has the job, or it is over: which of them, and is there anybody to go on? */
async function afterNone({ ingest, send }: WorkMessageParts, message: RunMessage, { receives }: Delivery) {
  const { tenant, documentId, isWatch } = message
  const standing = await ingest.standing(tenant, documentId)
  if (standing === null) return
  const again: RunMessage = { kind: "run", tenant, documentId }
  if (standing.state !== "failed") {
    // Who works on it may be dead, and this message all that is left of it.
    const waitS = Math.max(0, Math.ceil(standing.leaseMs / 1_000)) + LEASE_GRACE_S
    return send([{ ...again, isWatch: true }], Math.min(waitS, SPREAD_LEASE_MS / 1_000))
  }
  const isOurs = standing.errorCode !== null && !CODES_OF_FILES.includes(standing.errorCode)
  if (!isOurs) return
  // An earlier delivery of this message ended the job: it is put aside. One that was put aside and is sent anew reopens it.
  if (receives > 1) throw new NotDone("the job has failed for no fault of its file")
  if (isWatch) return
  if (await ingest.reopen(tenant, documentId)) await send([again])
}

async function workOnPages({ ingest, send }: WorkMessageParts, message: PagesMessage, delivery: Delivery) {
  const { tenant, documentId, worker } = message
  const { receives, receivesMax, signal } = delivery
  let failure: JobFailure | null = null
  const outcome = await ingest.runRange(message, {
    signal,
    isLast: receives >= receivesMax,
    onFailure: (reason) => {
      failure = reason
    },
  })
  if (outcome === "paused") return send([message])
  if (outcome === "complete") return send([{ kind: "run", tenant, documentId, worker }])
  if (outcome !== "done") conclude(outcome, failure)
}

/** Throws for what isn't the file's fault. */
function conclude(outcome: Exclude<RunOutcome, "none" | "paused">, failure: JobFailure | null): void {
  if (outcome === "retry") throw new NotDone("it failed, and is tried again")
  if (outcome === "failed" && failure?.isOfTheFile !== true) throw new NotDone("it failed for no fault of its file")
}
