import type { Database } from "../../database/database.ts"
import type { ErrorCode } from "../../errors.ts"
import { type HeldJob, IngestOptions, type Job } from "./upload.ts"

/** How long a worker holds a job without a sign of life, ms. */
export const LEASE_MS = 60_000
/** Failures in a row, with no page read or chunk embedded in between, after which a job is given up. */
const ATTEMPTS_MAX = 3
/** The same where a service was away, and whoever tries again can wait for it. */
const OUTAGE_ATTEMPTS_MAX = 10
/** The same for attempts that never ended: the process was killed, for which the file need not be the reason. */
const CRASHES_MAX = 10

/** A lease for that long, in SQL; what is longer already stays. */
export const leaseFor = (ms: number): string =>
  `greatest(coalesce(lease_until, now()), now() + ${ms} * interval '1 ms')`

const LEASE = leaseFor(LEASE_MS)
const HELD = `document_id = $1 and generation = $2 and worker = $3 and state = 'processing'`

/** Columns of a job `j` that make a `JobRow`. */
export const ROW = `
  j.generation::text as generation, j.upload_key, j.upload_version, j.file_name, j.bytes::float8 as bytes, j.sha256, j.options,
  j.request_id`

// Who takes over from workers that have done their part begins to count anew.
const CLAIM = `
  update ingest_jobs j
     set state = 'processing', worker = $2, attempts = case when was.is_done then 1 else j.attempts + 1 end,
         lease_until = now() + ${LEASE_MS} * interval '1 ms', updated_at = now(),
         pages_done = (select count(*) from page_drafts p where p.source_account_id = j.source_account_id
                          and p.document_id = j.document_id and p.generation = j.generation)
    from (select generation, state = 'processing' as is_underway, coalesce(worker = $4::text, false) as is_done
            from ingest_jobs
           where document_id = $1 and (state = 'queued' or state = 'processing'
                 and ($3 or coalesce(lease_until < now(), true) or worker = $4::text))
             for update) was
   where j.document_id = $1 and j.generation = was.generation
  returning ${ROW}, j.attempts, was.is_underway and not was.is_done as has_crashed`

const RENEW = `update ingest_jobs set lease_until = ${LEASE} where ${HELD} returning 1`

const NOTE_FILE = `update ingest_jobs set sha256 = $4, bytes = $5 where ${HELD} returning 1`

const NOTE_PAGES = `update ingest_jobs set pages_total = $4, lease_until = ${LEASE} where ${HELD} returning 1`

const HAS_PROGRESSED = `select 1 from ingest_jobs where ${HELD} and attempts = 0`

const HAND_OVER = `
  update ingest_jobs set worker = $4, lease_until = now() + $5::float8 * interval '1 ms', error_code = null, error = null
   where ${HELD} returning 1`

const STANDING = `
  select state, coalesce(extract(epoch from lease_until - now()) * 1000, 0)::float8 as lease_ms, error_code
    from ingest_jobs where document_id = $1 and state in ('queued', 'processing', 'failed')`

const REOPEN = `
  with job as (
    update ingest_jobs set state = 'queued', attempts = 0, error_code = null, error = null, updated_at = now()
     where document_id = $1 and state = 'failed' and error_code <> all($2::text[])
    returning source_account_id, document_id),
  document as (
    update documents d set status = 'queued', error = null, updated_at = now() from job j
     where d.source_account_id = j.source_account_id and d.id = j.document_id and d.status = 'failed')
  select 1 from job`

// Work that was put down is no attempt; a failure is one, and with the last of them, or one that time won't mend, the end.
const PUT_DOWN = `
  update ingest_jobs set state = 'queued', attempts = greatest(attempts - 1, 0), worker = null, lease_until = null
   where ${HELD}`

const NOTE_FAILURE = `
  with job as (
    update ingest_jobs
       set state = case when $6 or attempts >= $7 then 'failed' else 'queued' end,
           error_code = $4, error = $5, worker = null, lease_until = null, updated_at = now()
     where ${HELD} returning source_account_id, document_id, state, attempts),
  document as (
    update documents d set status = 'failed', error = $5, updated_at = now() from job j
     where j.state = 'failed' and d.source_account_id = j.source_account_id and d.id = j.document_id
       and d.status in ('queued', 'processing'))
  select state, attempts from job`

const PENDING = `
  select document_id as id, state, coalesce(extract(epoch from lease_until - now()) * 1000, 0)::float8 as lease_ms
    from ingest_jobs where state in ('queued', 'processing') order by 1`

/** A job of a tenant's that waits for a worker, or has one. */
export interface PendingWork {
  readonly id: string
  readonly state: "queued" | "processing"
  /** How long another worker still holds it, ms; below 0 when its time is over. */
  readonly leaseMs: number
}

/** What became of a job that failed once: it is over, or tried again. */
export type AfterFailure = { readonly state: "failed" | "queued"; readonly attempts: number }

/** How a job may be taken. */
export interface ClaimOptions {
  /** Whoever else holds the job is dead. */
  readonly takeOver?: boolean | undefined
  /** The worker who has handed the job on, whatever its lease. */
  readonly from?: string | undefined
  /** Processes that the job may end in a row, with no progress in between; `CRASHES_MAX` when absent. */
  readonly crashesMax?: number | undefined
}

/** A document's open job: who waits for it, or why it failed. */
export interface StandingJob {
  readonly state: "queued" | "processing" | "failed"
  /** As in `PendingWork`. */
  readonly leaseMs: number
  readonly errorCode: ErrorCode | null
}

/** The queue of a tenant's uploads, in `ingest_jobs`. */
export interface Jobs {
  /**
   * Takes a document's job. Null when there is none, or another worker holds it. The outcome is `failed` for a job that
   * has ended the process too often.
   */
  claim(tenant: string, documentId: string, worker: string, options: ClaimOptions): Promise<Job | "failed" | null>
  /** False when the job is no longer held: a delete, a newer upload or another worker came. */
  renew(job: HeldJob): Promise<boolean>
  /** Gives the job to another worker, for `leaseMs`. False as `renew`. */
  handOver(job: HeldJob, worker: string, leaseMs: number): Promise<boolean>
  /** Whether anything was committed since the job was claimed. */
  hasProgressed(job: HeldJob): Promise<boolean>
  /** Null when nothing of the document is open. */
  standing(tenant: string, documentId: string): Promise<StandingJob | null>
  /** Puts a failed job back into the queue, unless it failed for one of the reasons of `final`. */
  reopen(tenant: string, documentId: string, final: readonly ErrorCode[]): Promise<boolean>
  /** Notes what the file turned out to be. False as `renew`. */
  noteFile(job: HeldJob, file: { readonly sha256: string; readonly bytes: number }): Promise<boolean>
  /** Notes how many pages there are to read. False as `renew`. */
  notePages(job: HeldJob, total: number): Promise<boolean>
  /** Gives the job back as it was, for whoever takes it up again. */
  putDown(job: HeldJob): Promise<void>
  /** Null when the job was no longer held. `isFinal`: another attempt would fail alike. `isOutage`: a later one may well not. */
  noteFailure(
    job: HeldJob,
    error: { readonly code: ErrorCode; readonly message: string },
    options: { readonly isFinal: boolean; readonly isOutage?: boolean },
  ): Promise<AfterFailure | null>
  pending(tenant: string): Promise<readonly PendingWork[]>
}

export function createJobs(database: Database): Jobs {
  const held = async (
    { tenant, documentId, generation, worker }: HeldJob,
    text: string,
    more: (string | number | boolean)[] = [],
  ) => {
    const [rows = []] = await database.batch({ tenant }, [{ text, values: [documentId, generation, worker, ...more] }])
    return rows
  }
  const noteFailure: Jobs["noteFailure"] = async (job, { code, message }, { isFinal, isOutage = false }) => {
    const attemptsMax = isOutage ? OUTAGE_ATTEMPTS_MAX : ATTEMPTS_MAX
    const [row] = await held(job, NOTE_FAILURE, [code, message, isFinal, attemptsMax])
    return (row as unknown as AfterFailure | undefined) ?? null
  }
  return {
    async claim(tenant, documentId, worker, { takeOver = false, from = null, crashesMax = CRASHES_MAX }) {
      const values = [documentId, worker, takeOver, from]
      const [rows = []] = await database.batch({ tenant }, [{ text: CLAIM, values }])
      const [row] = rows as unknown as ClaimedRow[]
      if (!row) return null
      const job = toJob(tenant, documentId, worker, row)
      if (row.attempts <= (row.has_crashed ? crashesMax : CRASHES_MAX)) return job
      const message = `Reading this file ended the process ${row.attempts - 1} times in a row`
      await noteFailure(job, { code: "document_unreadable", message }, { isFinal: true })
      return "failed"
    },
    renew: async (job) => (await held(job, RENEW)).length > 0,
    handOver: async (job, worker, leaseMs) => (await held(job, HAND_OVER, [worker, leaseMs])).length > 0,
    hasProgressed: async (job) => (await held(job, HAS_PROGRESSED)).length > 0,
    async standing(tenant, documentId) {
      const [rows = []] = await database.batch({ tenant }, [{ text: STANDING, values: [documentId] }])
      const [row] = rows as unknown as StandingRow[]
      return row ? { state: row.state, leaseMs: row.lease_ms, errorCode: row.error_code } : null
    },
    async reopen(tenant, documentId, final) {
      const [rows = []] = await database.batch({ tenant }, [{ text: REOPEN, values: [documentId, final] }])
      return rows.length > 0
    },
    noteFile: async (job, { sha256, bytes }) => (await held(job, NOTE_FILE, [sha256, bytes])).length > 0,
    notePages: async (job, total) => (await held(job, NOTE_PAGES, [total])).length > 0,
    putDown: async (job) => void (await held(job, PUT_DOWN)),
    noteFailure,
    async pending(tenant) {
      const [rows = []] = await database.batch({ tenant }, [{ text: PENDING }])
      const found = rows as unknown as { id: string; state: PendingWork["state"]; lease_ms: number }[]
      return found.map(({ id, state, lease_ms }) => ({ id, state, leaseMs: lease_ms }))
    },
  }
}

/** A row of `STANDING`. */
interface StandingRow {
  readonly state: StandingJob["state"]
  readonly lease_ms: number
  readonly error_code: ErrorCode | null
}

/** What a row of a job tells of its upload. */
export interface JobRow {
  readonly generation: string
  readonly upload_key: string
  readonly upload_version: string | null
  readonly file_name: string
  readonly bytes: number
  readonly sha256: string | null
  readonly options: unknown
  readonly request_id: string | null
}

/** A row of `CLAIM`. */
interface ClaimedRow extends JobRow {
  readonly attempts: number
  /** Whoever held it before didn't end. */
  readonly has_crashed: boolean
}

/** The job of a row of `ROW`. */
export function toJob(tenant: string, documentId: string, worker: string, row: JobRow): Job {
  return {
    tenant,
    documentId,
    worker,
    generation: row.generation,
    uploadKey: row.upload_key,
    version: row.upload_version ?? undefined,
    fileName: row.file_name,
    bytes: row.bytes,
    sha256: row.sha256,
    options: IngestOptions.parse(row.options),
    requestId: row.request_id ?? undefined,
  }
}
