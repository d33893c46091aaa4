import { randomUUID } from "node:crypto"
import { currentActivity, measure, runActivity } from "../../activity.ts"
import type { Database } from "../../database/database.ts"
import { createTimedDatabase } from "../../database/timed-database.ts"
import { loadLanguageDetector } from "../../detect-language.ts"
import { AppError, isOutage } from "../../errors.ts"
import type { Documents } from "../documents.ts"
import { createEnrichments } from "../enrichment/enrichments.ts"
import { createCleanUp, sweepTenant } from "./clean-up.ts"
import { createDrafts } from "./drafts.ts"
import { expireDocuments } from "./expire-documents.ts"
import { findLeftovers } from "./find-leftovers.ts"
import { holdJob } from "./hold-job.ts"
import type { PagesMessage, SendMessages } from "./ingest-message.ts"
import { CODES_OF_FILES, describeFailure, type JobFailure } from "./job-failure.ts"
import { createJobs, type PendingWork, type StandingJob } from "./jobs.ts"
import { createLimiter } from "./read-pages.ts"
import { createReceive, type Receive } from "./receive.ts"
import { type JobParts, runJob } from "./run-job.ts"
import { type RangeOptions, type RangeOutcome, runRange } from "./run-range.ts"
import { spreadPages } from "./spread-pages.ts"
import type { IngestProgress, Job } from "./upload.ts"

/**
 * What became of one run. `ready`: published, or unchanged. `failed`: for good, the document says why. `retry`: it
 * failed, and another run may not. `paused`: the signal aborted it. `superseded`: a delete or a newer upload came.
 * `spread`: others read its pages now, and a message tells when they have. `none`: nothing waits there, or another worker
 * has it.
 */
export type RunOutcome = "ready" | "failed" | "retry" | "paused" | "superseded" | "spread" | "none"

interface RunOptions {
  /** Aborts between two pages or batches; what is finished stays, for the next run. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: IngestProgress) => void
  /** No other process works on this database, so whoever else holds the job is dead. */
  readonly isAlone?: boolean
  /** For a process whose time is limited, and that a queue starts again. */
  readonly queued?: QueuedRun
}

/** A run of a queue: `signal` ends the time of its process, so one that it ends without any progress counts as a failure. */
export interface QueuedRun {
  /** Spreads the pages of a long file. */
  readonly send: SendMessages
  /** Who has handed the job on. */
  readonly from?: string | undefined
  /** Processes in a row that the job may end, with no progress in between. */
  readonly crashesMax: number
  /** Hears why the job is over. */
  readonly onFailure: (failure: JobFailure) => void
}

/** Files on their way to becoming documents. All state is in the database and the object store: any process may go on. */
export interface Ingest extends Receive {
  /** Works on the document's upload until it is published, failed or taken away; removes what is left over. Never throws for the file's sake. */
  run(tenant: string, documentId: string, options?: RunOptions): Promise<RunOutcome>
  /** Reads the pages of a message that a run has sent. Never throws for the file's sake. */
  runRange(message: PagesMessage, options: RangeOptions): Promise<RangeOutcome>
  /** What of a document waits, is worked on or has failed; null when nothing is open. */
  standing(tenant: string, documentId: string): Promise<StandingJob | null>
  /** Makes a job that failed for another reason than its file wait again. False when there is none. */
  reopen(tenant: string, documentId: string): Promise<boolean>
  /** What of a tenant's waits for `run`. */
  pending(tenant: string): Promise<readonly PendingWork[]>
  /**
   * Documents of a tenant's that wait for `cleanUp`, at most `countMax` of them; some of those that are older than the
   * retention are deleted before.
   */
  leftovers(tenant: string, countMax?: number): Promise<readonly string[]>
  /** Removes objects and drafts that earlier uploads of a document left; what it leaves when `signal` aborts is still marked. */
  cleanUp(tenant: string, documentId: string, signal?: AbortSignal): Promise<void>
  /** Removes objects of a tenant that no row names; reads the list of all of them. Returns how many. */
  sweep(tenant: string): Promise<number>
}

type IngestDeps = Omit<JobParts, "jobs" | "drafts" | "enrichments" | "limit" | "detectLanguage"> & {
  readonly documents: Documents
  /**
   * `retentionDays`: documents that nobody replaces for so long are deleted; absent, they stay. `databaseTimeoutMs`: for what
   * somebody who uploads waits for; absent, as long as it takes.
   */
  readonly settings: { readonly retentionDays?: number | undefined; readonly databaseTimeoutMs?: number }
}

/** Deleted by one sweep: each takes some milliseconds of a write that it rides on. */
const EXPIRED_PER_SWEEP = 50

const NO_PROGRESS = "Nothing of this file was finished in the time that there is: split it into smaller files"

/** For what somebody waits for. */
function answering({ database, settings: { databaseTimeoutMs: timeoutMs } }: IngestDeps): Database {
  return timeoutMs === undefined ? database : createTimedDatabase(database, timeoutMs)
}

/** Whoever takes a job up works for the request that brought it: its log lines and messages say so. */
function runFromRow<T>({ requestId }: Job, work: () => Promise<T>): Promise<T> {
  return requestId === undefined ? work() : runActivity({ ...currentActivity(), requestId }, work)
}

/** A process that ends doesn't say why; it may have been the file. */
const CRASHED: JobFailure = { code: "document_unreadable", message: "", isOfTheFile: false }

/** Puts the ingestion together. */
export function createIngest(deps: IngestDeps): Ingest {
  const { database, objects, settings, log } = deps
  const jobs = createJobs(database)
  const parts: JobParts = {
    ...deps,
    jobs,
    drafts: createDrafts(database),
    enrichments: createEnrichments(database),
    limit: createLimiter(settings.ingestConcurrency),
    detectLanguage: loadLanguageDetector,
  }
  const cleanUp = createCleanUp({ database, objects, log })

  async function settle(job: Job, thrown: unknown, queued?: QueuedRun): Promise<RunOutcome> {
    const failure = describeFailure(thrown)
    if (failure.code === "internal") log.error("a file could not be ingested", { error: thrown })
    // A queue gives a message up after its third failure, and the job with it.
    const isWaitedFor = queued === undefined && isOutage(failure)
    const after = await jobs.noteFailure(job, failure, { isFinal: failure.isOfTheFile, isOutage: isWaitedFor })
    if (after?.state !== "failed") return after === null ? "superseded" : "retry"
    log.info("an upload has failed", { code: failure.code, attempts: after.attempts })
    queued?.onFailure(failure)
    return "failed"
  }

  async function putDown(job: Job, queued?: QueuedRun): Promise<RunOutcome> {
    if (queued && !(await jobs.hasProgressed(job))) {
      return settle(job, new AppError("deadline_exceeded", NO_PROGRESS), queued)
    }
    await jobs.putDown(job)
    return "paused"
  }

  const runHeld = (job: Job, { signal, onProgress = () => {}, queued }: RunOptions): Promise<RunOutcome> =>
    holdJob(
      () => jobs.renew(job),
      signal,
      async ({ signal: either, onLost, isLost }): Promise<RunOutcome> => {
        const spread = queued && ((missing: readonly number[]) => spreadPages({ jobs, ...queued }, job, missing))
        try {
          return await runJob(parts, job, { signal: either, onProgress, onLost, spread })
        } catch (error) {
          if (isLost()) return "superseded"
          return signal?.aborted ? putDown(job, queued) : settle(job, error, queued)
        }
      },
    )

  return {
    ...createReceive({ ...deps, database: answering(deps), cleanUp }),
    async run(tenant, documentId, options = {}) {
      const { isAlone: takeOver, queued } = options
      const job = await jobs.claim(tenant, documentId, randomUUID(), { takeOver, ...queued })
      if (job === null) return "none"
      if (job === "failed") queued?.onFailure(CRASHED)
      const outcome = job === "failed" ? job : await runFromRow(job, () => runHeld(job, options))
      log.debug("upload worked on", { outcome })
      measure("concordance.ingest.jobs", 1, { "concordance.outcome": outcome })
      if (!["paused", "retry", "spread"].includes(outcome)) await cleanUp(tenant, documentId)
      return outcome
    },
    async runRange(message, options) {
      const outcome = await runRange(parts, message, options)
      if (outcome === "failed" || outcome === "superseded") await cleanUp(message.tenant, message.documentId)
      return outcome
    },
    standing: (tenant, documentId) => jobs.standing(tenant, documentId),
    reopen: (tenant, documentId) => jobs.reopen(tenant, documentId, CODES_OF_FILES),
    pending: (tenant) => jobs.pending(tenant),
    async leftovers(tenant, countMax) {
      const days = settings.retentionDays
      if (days !== undefined) await expireDocuments(database, tenant, days, EXPIRED_PER_SWEEP)
      return findLeftovers(database, tenant, countMax)
    },
    cleanUp,
    sweep: (tenant) => sweepTenant({ database, objects }, tenant),
  }
}
