import type { Database, Transaction } from "../../database/database.ts"
import type { Upload } from "./upload.ts"

/** What became of an upload: a job of its own, one that was there already, or nothing, because the bytes are. */
export type Enqueued = "queued" | "processing" | "ready" | "ignored"

const LOCK_DOCUMENT = `
  select status, sequencer from documents where id = $1 for update`

const STANDING_JOBS = `
  select state, sha256, upload_key, options = $2::text::jsonb as same_options
    from ingest_jobs where document_id = $1 and state <> 'superseded'`

// A document that is served stays ready, with the title it has, until the new version is published.
const RAISE_GENERATION = `
  insert into documents as d (source_account_id, id, title, status, sequencer) values ($1, $2, $3, 'queued', $4)
  on conflict (source_account_id, id) do update
     set generation = d.generation + 1, sequencer = coalesce(excluded.sequencer, d.sequencer),
         status = case d.status when 'ready' then 'ready' else 'queued' end,
         title = case d.status when 'ready' then d.title else excluded.title end,
         error = null, updated_at = case d.status when 'ready' then d.updated_at else now() end
  returning generation::text as generation`

const SUPERSEDE_OPEN = `
  update ingest_jobs set state = 'superseded', worker = null, lease_until = null, updated_at = now()
   where document_id = $1 and state in ('queued', 'processing', 'failed')`

const INSERT_JOB = `
  insert into ingest_jobs (source_account_id, document_id, generation, upload_key, file_name, bytes, sha256, options)
  values ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb)`

/** A row of `STANDING_JOBS`. */
interface StandingJob {
  readonly state: "queued" | "processing" | "failed" | "done"
  readonly sha256: string | null
  readonly upload_key: string
  readonly same_options: boolean
}

/**
 * Makes a job of a file that is in the store. The same bytes with the same options again change nothing; others raise
 * the document's generation, so that whoever still works on an earlier upload publishes nothing. What an event out of
 * order tells is ignored.
 */
export async function enqueueUpload(
  database: Database,
  tenant: string,
  documentId: string,
  upload: Upload,
): Promise<Enqueued> {
  return database.transaction({ tenant }, async (transaction) => {
    await transaction.query("delete from uploads where key = $1", [upload.key])
    const [document] = await transaction.query<{ status: string; sequencer: string | null }>(LOCK_DOCUMENT, [
      documentId,
    ])
    if (isLate(upload.sequencer, document?.sequencer)) return "ignored"
    const jobs = await transaction.query<StandingJob & Record<string, unknown>>(STANDING_JOBS, [
      documentId,
      JSON.stringify(upload.options),
    ])
    return (
      (await keepStanding(transaction, documentId, upload, jobs)) ??
      (await insert(transaction, tenant, documentId, upload))
    )
  })
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
 * A key that ends with the digest of its bytes can't hold others. Under any other key a later event tells of other bytes;
 * without an event it is the upload that is known.
 */
function isSame(job: StandingJob, { key, sha256, sequencer }: Upload): boolean {
  if (!job.same_options) return false
  if (sha256 !== null && job.sha256 === sha256) return true
  return job.upload_key === key && (sequencer === undefined || /\/[0-9a-f]{64}$/.test(key))
}

async function insert(
  transaction: Transaction,
  tenant: string,
  documentId: string,
  { key, fileName, bytes, sha256, options, sequencer }: Upload,
): Promise<Enqueued> {
  const title = options.title ?? fileName
  const [raised] = await transaction.query<{ generation: string }>(RAISE_GENERATION, [
    tenant,
    documentId,
    title,
    sequencer ?? null,
  ])
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
  ])
  return "queued"
}

/**
 * Whether an event is older than, or the same as, one that was applied: sequencers are hexadecimal, and the shorter
 * counts as if it went on with zeros (S3's own rule).
 */
function isLate(sequencer: string | undefined, applied: string | null | undefined): boolean {
  if (sequencer === undefined || applied === null || applied === undefined) return false
  const length = Math.max(sequencer.length, applied.length)
  return sequencer.padEnd(length, "0") <= applied.padEnd(length, "0")
}
