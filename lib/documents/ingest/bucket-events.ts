import type { Origin } from "../../activity.ts"
import type { Database, Transaction } from "../../database/database.ts"
import type { ObjectStore } from "../../objects/object-store.ts"
import { DELETE_MS, deletion } from "../documents.ts"
import { storable } from "../storable.ts"
import { type Enqueued, enqueueWithin, LOCK_DOCUMENT, SUPERSEDE_OPEN } from "./enqueue.ts"
import { applyInOrder, type KeyEvent } from "./event-order.ts"
import { IngestOptions } from "./upload.ts"

/** What a bucket tells of a new object. */
export interface ReceivedEvent extends KeyEvent {
  readonly bytes?: number | undefined
  /** Absent where the bucket keeps none. */
  readonly version?: string | undefined
}

/** What a bucket tells of the objects of uploads, applied to documents. Repeats and latecomers change nothing. */
export interface BucketEvents {
  /**
   * A file is in the store: makes a job of it, unless it was expected no longer, or a later event was there before.
   * `refused`: nobody announced the key, and the document says so as a failed one, unless a job of it is under way.
   */
  received(tenant: string, documentId: string, event: ReceivedEvent): Promise<Enqueued | "refused">
  /**
   * A file was taken out of the store: deletes the document whose current upload it was. Where another version is served
   * meanwhile, it only takes the upload off. False, and nothing changes, for any other file.
   */
  removed(tenant: string, documentId: string, event: KeyEvent): Promise<boolean>
  /** Whose upload a key is, for one that doesn't tell. Null when it is unknown. */
  documentOf(tenant: string, key: string): Promise<string | null>
  /** Which request announced a file; empty once it was taken, and where nobody did. */
  originOf(tenant: string, key: string): Promise<Origin>
}

interface BucketEventsParts {
  readonly database: Database
  readonly objects: ObjectStore
  cleanUp(tenant: string, documentId: string): Promise<void>
}

const KNOWN = "select announced, document_id from upload_keys where key = $1"

const ORIGIN = `
  select options #>> '{origin,requestId}' as "requestId", options #>> '{origin,traceparent}' as traceparent
    from uploads where key = $1`

// Of a tenant that was erased, nothing that comes late is written down: only keys that were given out since are known.
const IS_ERASED = `
  select 1 from erased_tenants where not exists (select from upload_keys where key = $1)`

const EXPECTED = `
  select file_name, options from uploads where key = $1 and starts_with(key, 'uploads/')
  union all
  select file_name, options from ingest_jobs where document_id = $2 and upload_key = $1 and state <> 'superseded'
   limit 1`

// What failed, was superseded or replaced has its file removed by this very service, and that changes nothing.
const IS_CURRENT = `
  select j.state <> 'done' and d.status = 'ready' and not exists (
           select from ingest_jobs s where s.document_id = $1 and s.upload_key = $2 and s.state = 'done') as other_is_served
    from ingest_jobs j join documents d on d.id = j.document_id
   where j.document_id = $1 and j.upload_key = $2 and j.generation = (
     select max(generation) from ingest_jobs where document_id = $1 and state in ('queued', 'processing', 'done'))`

const UNDER_WAY = `
  select 1 from ingest_jobs
   where document_id = $1 and (state in ('queued', 'processing') or state = 'failed' and upload_key = $2) limit 1`

const REFUSED = "Nobody asked for this place in the bucket, so the file was not read: upload it by POST /documents"

// A document that is served stays as it is.
const RAISE_FAILED = `
  insert into documents as d (source_account_id, id, title, status, error) values ($1, $2, $3, 'failed', $4)
  on conflict (source_account_id, id) do update
     set generation = d.generation + 1, status = case d.status when 'ready' then 'ready' else 'failed' end,
         title = case d.status when 'ready' then d.title else excluded.title end,
         error = excluded.error, updated_at = case d.status when 'ready' then d.updated_at else now() end
  returning generation::text as generation`

const SUPERSEDE_FAILED = `
  update ingest_jobs set state = 'superseded', updated_at = now() where document_id = $1 and state = 'failed'`

const INSERT_FAILED = `
  insert into ingest_jobs (source_account_id, document_id, generation, state, upload_key, file_name, bytes, error_code, error)
  values ($1, $2, $3, 'failed', $4, $5, $6, 'invalid_request', $7)`

export function createBucketEvents({ database, objects, cleanUp }: BucketEventsParts): BucketEvents {
  return {
    async received(tenant, documentId, { bytes, ...event }) {
      const stored = bytes ?? (await objects.head(event.key, event.version))?.bytes
      if (stored === undefined) return "ignored"
      return database.transaction({ tenant }, (transaction) =>
        receive(transaction, tenant, documentId, { ...event, bytes: stored }),
      )
    },
    async removed(tenant, documentId, event) {
      const remove = async (transaction: Transaction) => {
        await transaction.query(LOCK_DOCUMENT, [documentId])
        if (await isErased(transaction, event.key)) return false
        if (!(await applyInOrder(transaction, tenant, documentId, event))) return false
        const values = [documentId, event.key]
        const [current] = await transaction.query<{ other_is_served: boolean }>(IS_CURRENT, values)
        if (!current) return false
        // What is there was put after this removal, or came back with it. Looked for last: a file is put before its job is made.
        if (await objects.head(event.key)) return false
        if (current.other_is_served) await transaction.query(SUPERSEDE_OPEN, [documentId])
        else for (const { text, values = [] } of deletion(documentId)) await transaction.query(text, values)
        return true
      }
      const isCurrent = await database.transaction({ tenant }, remove, { timeoutMs: DELETE_MS })
      if (isCurrent) await cleanUp(tenant, documentId)
      return isCurrent
    },
    async documentOf(tenant, key) {
      const [rows = []] = await database.batch({ tenant }, [{ text: KNOWN, values: [key] }])
      return (rows[0] as { readonly document_id: string } | undefined)?.document_id ?? null
    },
    async originOf(tenant, key) {
      const [rows = []] = await database.batch({ tenant }, [{ text: ORIGIN, values: [key] }])
      const { requestId, traceparent } = (rows[0] ?? {}) as { [Name in keyof Origin]?: string | null }
      return { requestId: requestId ?? undefined, traceparent: traceparent ?? undefined }
    },
  }
}

async function receive(
  transaction: Transaction,
  tenant: string,
  documentId: string,
  event: ReceivedEvent & { readonly bytes: number },
): Promise<Enqueued | "refused"> {
  const { key } = event
  await transaction.query(LOCK_DOCUMENT, [documentId])
  if (await isErased(transaction, key)) return "ignored"
  if (!(await applyInOrder(transaction, tenant, documentId, event))) return "ignored"
  const [known] = await transaction.query<{ announced: boolean }>(KNOWN, [key])
  if (known?.announced !== true) return refuse(transaction, tenant, documentId, event)
  const [expected] = await transaction.query<{ file_name: string; options: unknown }>(EXPECTED, [key, documentId])
  if (!expected) return "ignored"
  const options = IngestOptions.parse(expected.options)
  const requestId = announcedBy(expected.options)
  const upload = { ...event, fileName: expected.file_name, sha256: null, options, requestId }
  return enqueueWithin(transaction, tenant, documentId, upload)
}

/** Whose request announced the file: another one may notice that it has come. */
function announcedBy(options: unknown): string | undefined {
  const { origin } = options as { readonly origin?: Origin }
  return origin?.requestId
}

async function isErased(transaction: Transaction, key: string): Promise<boolean> {
  return (await transaction.query(IS_ERASED, [key])).length > 0
}

async function refuse(
  transaction: Transaction,
  tenant: string,
  documentId: string,
  { key, bytes }: { readonly key: string; readonly bytes: number },
): Promise<"refused"> {
  const underWay = await transaction.query(UNDER_WAY, [documentId, key])
  if (underWay.length > 0) return "refused"
  const name = storable(key.slice(key.lastIndexOf("/") + 1)) || documentId
  const [raised] = await transaction.query<{ generation: string }>(RAISE_FAILED, [tenant, documentId, name, REFUSED])
  await transaction.query(SUPERSEDE_FAILED, [documentId])
  const values = [tenant, documentId, raised?.generation ?? "", key, name, bytes, REFUSED]
  await transaction.query(INSERT_FAILED, values)
  return "refused"
}
