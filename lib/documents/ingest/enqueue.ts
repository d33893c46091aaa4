import { currentActivity } from "../../activity.ts"
import type { Database, Transaction } from "../../database/database.ts"
import type { Upload } from "./upload.ts"

/** What became of an upload: a job of its own, one that was there already, or nothing, because the bytes are. */
export type Enqueued = "queued" | "processing" | "ready" | "ignored"

/** So that uploads, events and deletes of one document come one after the other. Its one value is the document's id. */
export const LOCK_DOCUMENT = "select 1 from documents where id = $1 for update"

const STANDING_JOBS = `
  select state, sha256, upload_key, upload_version, options = $2::text::jsonb as same_options
    from ingest_jobs where document_id = $1 and state <> 'superseded'`

// A document that is served stays ready, with the title it has, until the new version is published.
const RAISE_GENERATION = `
  insert into documents as d (source_account_id, id, title, status) values ($1, $2, $3, 'queued')
  on conflict (source_account_id, id) do update
     set generation = d.generation + 1,
         status = case d.status when 'ready' then 'ready' else 'queued' end,
         title = case d.status when 'ready' then d.title else excluded.title end,
         error = null, updated_at = case d.status when 'ready' then d.updated_at else now() end
  returning generation::text as generation`

/** Takes off what is to replace a document. Its one value is the document's id. */
export const SUPERSEDE_OPEN = `
  update ingest_jobs set state = 'superseded', worker = null, lease_until = null, updated_at = now()
   where document_id = $1 and state in ('queued', 'processing', 'failed')`

const INSERT_JOB = `
  insert into ingest_jobs (source_account_id, document_id, generation, upload_key, file_name, bytes, sha256, options,
                           upload_version, request_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, $9, $10)`

/** A row of `STANDING_JOBS`. */
interface StandingJob {
  readonly state: "queued" | "processing" | "failed" | "done"
  readonly sha256: string | null
  readonly upload_key: string
  readonly upload_version: string | null
  readonly same_options: boolean
}

/**
 * Makes a job of a file that is in the store. The same bytes with the same options again change nothing; others raise
 * the document's generation, so that whoever still works on an earlier upload publishes nothing.
 */
export async function enqueueUpload(
  database: Database,
  tenant: string,
  documentId: string,
  upload: Upload,
): Promise<Enqueued> {
  return database.transaction({ tenant }, async (transaction) => {
    await transaction.query(LOCK_DOCUMENT, [documentId])
    return enqueueWithin(transaction, tenant, documentId, upload)
  })
}

/** The same within a transaction that holds the document. */
export async function enqueueWithin(
  transaction: Transaction,
  tenant: string,
  documentId: string,
  upload: Upload,
): Promise<Enqueued> {
  await transaction.query("delete from uploads where key = $1", [upload.key])
  const jobs = await transaction.query<StandingJob & Record<string, unknown>>(STANDING_JOBS, [
    documentId,
    JSON.stringify(upload.options),
  ])
  return (
    (await keepStanding(transaction, documentId, upload, jobs)) ??
    (await insert(transaction, tenant, documentId, upload))
  )
}

/** Null where a new job is needed. */
async function keepStanding(
  transaction: Transaction,
  documentId: string,
  upload: Upload,
  jobs: readonly StandingJob[],
): Promise<Enqueued | null> {
  const same = jobs.find((job) => job.state !== "failed" && isSame(job, upload))
  if (!same) return null
  if (same.state === "queued" || same.state === "processing") return same.state
  // Back to what is served: whatever was to replace it is off.
  if (jobs.some(({ state }) => state !== "done")) await transaction.query(SUPERSEDE_OPEN, [documentId])
  return "ready"
}

/**
 * A key that ends with the digest of its bytes can't hold others. Under any other key a version tells; without one a later event is
 * of other bytes, and without an event it is the upload that is known.
 */
function isSame(job: StandingJob, { key, sha256, sequencer, version }: Upload): boolean {
  if (!job.same_options) return false
  if (sha256 !== null && job.sha256 === sha256) return true
  if (job.upload_key !== key) return false
  if (/\/[0-9a-f]{64}$/.test(key)) return true
  return job.upload_version !== null && version !== undefined ? job.upload_version === version : sequencer === undefined
}

async function insert(
  transaction: Transaction,
  tenant: string,
  documentId: string,
  { key, fileName, bytes, sha256, options, version, requestId }: Upload,
): Promise<Enqueued> {
  const title = options.title ?? fileName
  const [raised] = await transaction.query<{ generation: string }>(RAISE_GENERATION, [tenant, documentId, title])
  await transaction.query(SUPERSEDE_OPEN, [documentId])
  await transaction.query(INSERT_JOB, [
    tenant,
    documentId,
    raised?.generation ?? "",
    key,
    fileName,
    bytes,
    sha256,
    JSON.stringify(options),
    version ?? null,
    requestId ?? currentActivity().requestId,
  ])
  return "queued"
}
