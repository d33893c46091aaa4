import type { Database } from "../../database/database.ts"
import type { Drafts } from "./drafts.ts"
import { fetchUpload, withFolder } from "./fetch-upload.ts"
import { type Held, holdJob } from "./hold-job.ts"
import type { PagesMessage } from "./ingest-message.ts"
import { describeFailure, type JobFailure } from "./job-failure.ts"
import { type JobRow, leaseFor, ROW, toJob } from "./jobs.ts"
import { readPages } from "./read-pages.ts"
import type { JobParts } from "./run-job.ts"
import { SPREAD_LEASE_MS } from "./spread-pages.ts"
import type { Job } from "./upload.ts"

/**
 * What became of some pages of a job. `done`: all of them are there. `complete`: so are all others of the file. `paused`:
 * the signal aborted it, and there are some more pages than before. `retry`: there are none more. `failed`: the job is
 * over, the document says why. `superseded`: the job is somebody else's, or nobody's.
 */
export type RangeOutcome = "done" | "complete" | "paused" | "retry" | "failed" | "superseded"

export interface RangeOptions {
  readonly signal?: AbortSignal | undefined
  /** Earlier attempts didn't end: pages that are missing still are given up without being read. */
  readonly isLast: boolean
  /** Hears why the job is over. */
  readonly onFailure?: ((failure: JobFailure) => void) | undefined
}

interface RangeJob extends Job {
  readonly pagesTotal: number
  /** An attempt at these or other pages ended with an error, so its process is not what broke. */
  readonly isTroubled: boolean
}

const OF_WORKER = "j.document_id = $1 and j.generation = $2 and j.worker = $3 and j.state = 'processing'"

const FIND = `
  update ingest_jobs j set lease_until = ${leaseFor(SPREAD_LEASE_MS)} where ${OF_WORKER}
  returning ${ROW}, coalesce(j.pages_total, 0) as pages_total, j.error_code is not null as is_troubled`

const NOTE_TROUBLE = `update ingest_jobs j set error_code = $4, error = $5 where ${OF_WORKER}`

const GIVEN_UP = "Reading it ended the process, or took longer than a process may last"

/** Reads the pages of a message that are missing, each committed on its own. Never throws for the file's sake. */
export async function runRange(parts: JobParts, message: PagesMessage, options: RangeOptions): Promise<RangeOutcome> {
  const { drafts } = parts
  const job = await findJob(parts.database, message)
  if (job === null) return "superseded"
  const before = await drafts.pageNumbers(job)
  const renew = async () => (await findJob(parts.database, message)) !== null
  return holdJob(renew, options.signal, async (held): Promise<RangeOutcome> => {
    try {
      await readMissing(parts, job, message, { ...held, isLast: options.isLast })
      held.signal.throwIfAborted()
    } catch (error) {
      if (held.isLost()) return "superseded"
      if (!options.signal?.aborted) return settle(parts, job, error, options)
      const more = (await drafts.pageNumbers(job)).size > before.size
      return more ? "paused" : "retry"
    }
    return (await drafts.pageNumbers(job)).size >= job.pagesTotal ? "complete" : "done"
  })
}

async function findJob(database: Database, message: PagesMessage): Promise<RangeJob | null> {
  const { tenant, documentId, generation, worker } = message
  const [rows = []] = await database.batch({ tenant }, [{ text: FIND, values: [documentId, generation, worker] }])
  const [row] = rows as unknown as (JobRow & { pages_total: number; is_troubled: boolean })[]
  if (!row) return null
  return {
    ...toJob(tenant, documentId, worker, row),
    pagesTotal: row.pages_total,
    isTroubled: row.is_troubled,
  }
}

async function readMissing(
  parts: JobParts,
  job: RangeJob,
  { from, to }: PagesMessage,
  { signal, onLost, isLast }: Held & Pick<RangeOptions, "isLast">,
): Promise<void> {
  const missing = await missingPages(parts.drafts, job, { from, to })
  if (missing.length === 0) return
  if (isLast && !job.isTroubled) {
    for (const number of missing) {
      const page = { number, text: null, imageKey: null, warning: GIVEN_UP }
      if (!(await parts.drafts.savePage(job, page))) return onLost()
    }
    return
  }
  await withFolder(parts.tempFolder, async (folder) => {
    const { path } = await fetchUpload(parts.objects, job, folder, parts.settings.documentBytesMax)
    signal.throwIfAborted()
    const sideBySide = parts.settings.ingestConcurrency
    const reading = { path, from, to, total: job.pagesTotal, signal, onProgress: () => {}, onLost }
    await readPages({ ...parts, sideBySide }, job, reading)
  })
}

type Pages = Pick<PagesMessage, "from" | "to">

async function missingPages(drafts: Drafts, job: Job, { from, to }: Pages): Promise<number[]> {
  const there = await drafts.pageNumbers(job)
  return Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((number) => !there.has(number))
}

/** What is the file's fault ends the job at once, what is ours after the last attempt. */
async function settle(
  { jobs, database, log }: JobParts,
  job: RangeJob,
  thrown: unknown,
  { isLast, onFailure }: RangeOptions,
): Promise<RangeOutcome> {
  const failure = describeFailure(thrown)
  if (failure.code === "internal") log.error("pages of a file could not be read", { error: thrown })
  if (failure.isOfTheFile || isLast) {
    const after = await jobs.noteFailure(job, failure, { isFinal: true })
    if (after === null) return "superseded"
    onFailure?.(failure)
    return "failed"
  }
  const values = [job.documentId, job.generation, job.worker, failure.code, failure.message]
  await database.batch({ tenant: job.tenant }, [{ text: NOTE_TROUBLE, values }])
  return "retry"
}
