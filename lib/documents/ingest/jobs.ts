import type { Database } from "../../database/database.ts"
import type { ErrorCode } from "../../errors.ts"
import { type HeldJob, IngestOptions, type Job } from "./upload.ts"

/** How long a worker holds a job without a sign of life, ms. */
export const LEASE_MS = 60_000
/** Failures in a row, with no page read or chunk embedded in between, after which a job is given up. */
const ATTEMPTS_MAX = 3
/** The same for attempts that never ended: the process was killed, for which the file need not be the reason. */
const CRASHES_MAX = 10

const LEASE = `now() + ${LEASE_MS} * interval '1 ms'`
const HELD = `document_id = $1 and generation = $2 and worker = $3 and state = 'processing'`

const CLAIM = `
  update ingest_jobs j
     set state = 'processing', worker = $2, attempts = attempts + 1, lease_until = ${LEASE}, updated_at = now(),
         pages_done = (select count(*) from page_drafts p where p.source_account_id = j.source_account_id
                          and p.document_id = j.document_id and p.generation = j.generation)
   where document_id = $1
     and (state = 'queued' or state = 'processing' and ($3 or coalesce(lease_until < now(), true)))
  returning generation::text as generation, upload_key, file_name, bytes::float8 as bytes, sha256, options, attempts`

const RENEW = `update ingest_jobs set lease_until = ${LEASE} where ${HELD} returning 1`

const NOTE_FILE = `update ingest_jobs set sha256 = $4, bytes = $5 where ${HELD} returning 1`

const NOTE_PAGES = `update ingest_jobs set pages_total = $4, lease_until = ${LEASE} where ${HELD} returning 1`

// Work that was put down is no attempt; a failure is one, and with the last of them, or one that time won't mend, the end.
const PUT_DOWN = `
  update ingest_jobs set state = 'queued', attempts = greatest(attempts - 1, 0), worker = null, lease_until = null
   where ${HELD}`

const NOTE_FAILURE = `
  with job as (
    update ingest_jobs
       set state = case when $6 or attempts >= ${ATTEMPTS_MAX} then 'failed' else 'queued' end,
           error_code = $4, error = $5, worker = null, lease_until = null, updated_at = now()
     where ${HELD} returning source_account_id, document_id, state, attempts),
  document as (
    update documents d set status = 'failed', error = $5, updated_at = now() from job j
     where j.state = 'failed' and d.source_account_id = j.source_account_id and d.id = j.document_id
       and d.status in ('queued', 'processing'))
  select state, attempts from job`

const PENDING = `
  select document_id as id, state, coalesce(extract(epoch from lease_until - now()) * 1000, 0)::float8 as lease_ms
    from ingest_jobs where state in ('queued', 'processing', 'superseded')
  union all
  select document_id, 'expired', 0 from uploads where expires_at < now()
   order by 1`

/** Something of a tenant's that waits for a worker, or for its leftovers to be removed. */
export interface PendingWork {
  readonly id: string
  readonly state: "queued" | "processing" | "superseded" | "expired"
  /** How long another worker still holds it, ms; below 0 when its time is over. */
  readonly leaseMs: number
}

/** What became of a job that failed once: it is over, or tried again. */
export type AfterFailure = { readonly state: "failed" | "queued"; readonly attempts: number }

/** The queue of a tenant's uploads, in `ingest_jobs`. */
export interface Jobs {
  /**
   * Takes a document's job. Null when there is none, or another worker holds it, unless `takeOver` knows that one dead.
   * The outcome is `failed` for a job that has ended the process too often.
   */
  claim(tenant: string, documentId: string, worker: string, takeOver: boolean): Promise<Job | "failed" | null>
  /** False when the job is no longer held: a delete, a newer upload or another worker came. */
  renew(job: HeldJob): Promise<boolean>
  /** Notes what the file turned out to be. False as `renew`. */
  noteFile(job: HeldJob, file: { readonly sha256: string; readonly bytes: number }): Promise<boolean>
  /** Notes how many pages there are to read. False as `renew`. */
  notePages(job: HeldJob, total: number): Promise<boolean>
  /** Gives the job back as it was, for whoever takes it up again. */
  putDown(job: HeldJob): Promise<void>
  /** Null when the job was no longer held. `final`: another attempt would fail alike. */
  noteFailure(
    job: HeldJob,
    error: { readonly code: ErrorCode; readonly message: string },
    final: boolean,
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
  const noteFailure: Jobs["noteFailure"] = async (job, { code, message }, final) => {
    const [row] = await held(job, NOTE_FAILURE, [code, message, final])
    return (row as unknown as AfterFailure | undefined) ?? null
  }
  return {
    async claim(tenant, documentId, worker, takeOver) {
      const [rows = []] = await database.batch({ tenant }, [{ text: CLAIM, values: [documentId, worker, takeOver] }])
      const [row] = rows as unknown as ClaimedRow[]
      if (!row) return null
      const job = toJob(tenant, documentId, worker, row)
      if (row.attempts <= CRASHES_MAX) return job
      const message = `Reading this file ended the process ${CRASHES_MAX} times in a row`
      await noteFailure(job, { code: "document_unreadable", message }, true)
      return "failed"
    },
    renew: async (job) => (await held(job, RENEW)).length > 0,
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

/** A row of `CLAIM`. */
interface ClaimedRow {
  readonly generation: string
  readonly upload_key: string
  readonly file_name: string
  readonly bytes: number
  readonly sha256: string | null
  readonly options: unknown
  readonly attempts: number
}

function toJob(tenant: string, documentId: string, worker: string, row: ClaimedRow): Job {
  return {
    tenant,
    documentId,
    worker,
    generation: row.generation,
    uploadKey: row.upload_key,
    fileName: row.file_name,
    bytes: row.bytes,
    sha256: row.sha256,
    options: IngestOptions.parse(row.options),
  }
}
