import { randomBytes } from "node:crypto"
import { currentOrigin } from "../../activity.ts"
import type { Database } from "../../database/database.ts"
import { deadlineIn } from "../../deadline.ts"
import { invalidField } from "../../errors.ts"
import { SEGMENT_CHARS_MAX, uploaderOf, uploadKey } from "../../objects/object-key.ts"
import type { ObjectStore } from "../../objects/object-store.ts"
import type { Documents } from "../documents.ts"
import { type BucketEvents, createBucketEvents } from "./bucket-events.ts"
import { documentIdFor } from "./document-id.ts"
import { type Enqueued, enqueueUpload } from "./enqueue.ts"
import { type LocalFile, tooLarge } from "./fetch-upload.ts"
import type { IngestOptions } from "./upload.ts"

/** How long a file may take on its way into the store, ms: as long as the server lets a request last. */
const WRITE_MS = 3_600_000
/** How long a presigned URL may be used, s. */
const PRESIGNED_S = 900
/** A file is looked for this much longer than its URL works, ms: the upload may have begun in its last second. */
const PRESIGNED_GRACE_MS = 3_600_000

/**
 * How long a delete waits for its objects, ms; a sweep removes the rest. API Gateway waits 30 s, and S3 lists and deletes
 * 1,000 objects in less than one.
 */
const REMOVAL_MS = 15_000

/** A file as its uploader describes it. */
export interface FileToAdd {
  /** Made from the name and the bytes when absent. */
  readonly id?: string | undefined
  readonly fileName: string
  readonly options: IngestOptions
}

/** Where one PUT may bring the file. */
export interface PresignedUpload {
  readonly id: string
  readonly upload: {
    readonly url: string
    readonly method: "PUT"
    readonly headers: Readonly<Record<string, string>>
    /** ISO 8601. */
    readonly expires: string
  }
}

/** How files come in, and how documents go. */
export interface Receive extends BucketEvents {
  /**
   * Stores a file and makes a job of it. The same bytes with the same options again change nothing; others replace the
   * document once they are read. Throws `document_too_large`, `storage_unavailable`; where events tell of files, as `presign`.
   */
  add(tenant: string, request: FileToAdd, file: LocalFile): Promise<{ readonly id: string; readonly status: Enqueued }>
  /**
   * Null where the store has no URLs. Throws `invalid_request` for a tenant whose name is too long to stand in a key, from
   * which the bucket's event is told to be its.
   */
  presign(tenant: string, request: FileToAdd, contentType: string): Promise<PresignedUpload | null>
  /** Looks whether files that were announced for a document have come: what an event tells where the bucket sends none. */
  collect(tenant: string, documentId: string): Promise<Enqueued | "refused" | null>
  /** Removes a document with all its rows and objects; a tombstone stays. Objects may go later. False when there was none. */
  delete(tenant: string, documentId: string): Promise<boolean>
  /** Deletes every document of a tenant. Returns how many. */
  reset(tenant: string): Promise<number>
}

interface ReceiveParts {
  readonly database: Database
  readonly objects: ObjectStore
  readonly documents: Documents
  readonly settings: { readonly documentBytesMax: number }
  /** No file is read before the bucket's event tells of it. */
  readonly isReadByEvents?: boolean
  cleanUp(tenant: string, documentId: string, signal?: AbortSignal): Promise<void>
}

const EXPECT = `
  insert into uploads (source_account_id, key, document_id, file_name, options, expires_at)
  values ($1, $2, $3, $4, $5::text::jsonb, now() + $6::float8 * interval '1 ms')
  on conflict (source_account_id, key) do update set expires_at = greatest(uploads.expires_at, excluded.expires_at)`

// Outlives what it announces: an event that comes late is told by it from a file that nobody asked for.
const ANNOUNCE = `
  insert into upload_keys (source_account_id, key, document_id) values ($1, $2, $3)
  on conflict (source_account_id, key) do update set announced = true`

// Pictures on their way into the store stand in the same table.
const EXPECTED = `
  select key from uploads where document_id = $1 and starts_with(key, 'uploads/') order by expires_at desc`

/** An event tells a key and no more; the tables that know its tenant are closed to whoever is no tenant. */
function requireTenantIn(key: string): void {
  if (uploaderOf(key) !== null) return
  throw invalidField(
    "source_account_id",
    `is too long to upload files for: it must fit into ${SEGMENT_CHARS_MAX} characters, where each byte of UTF-8 that is no ` +
      "lower-case ASCII letter, digit, hyphen or inner dot takes three",
  )
}

export function createReceive(parts: ReceiveParts): Receive {
  const { database, objects, documents, cleanUp, settings } = parts
  const expect = async (tenant: string, key: string, id: string, request: FileToAdd, ms: number): Promise<void> => {
    // The origin is only for the row's life: what becomes the job's options is parsed, and hasn't it.
    const options = JSON.stringify({ ...request.options, origin: currentOrigin() })
    const values = [tenant, key, id, request.fileName, options, ms]
    await database.batch({ tenant }, [
      { text: ANNOUNCE, values: [tenant, key, id] },
      { text: EXPECT, values },
    ])
  }
  const events = createBucketEvents(parts)
  const remove: Receive["delete"] = async (tenant, documentId) => {
    const was = await documents.delete(tenant, documentId)
    await cleanUp(tenant, documentId, deadlineIn(REMOVAL_MS).signal)
    return was
  }
  return {
    ...events,
    async add(tenant, request, file) {
      if (file.bytes > settings.documentBytesMax) throw tooLarge(settings.documentBytesMax)
      const id = request.id ?? documentIdFor(request.fileName, file.sha256)
      // Named by its bytes: the same file again stands under the same key, and leaves no second copy.
      const key = uploadKey(tenant, id, file.sha256)
      if (parts.isReadByEvents) requireTenantIn(key)
      await expect(tenant, key, id, request, WRITE_MS)
      const there = await objects.head(key)
      const put = () => objects.putFile(key, file.path, "application/octet-stream")
      if (!there) await put()
      const { fileName, options } = request
      const upload = { key, fileName, bytes: file.bytes, sha256: file.sha256, options }
      const status = await enqueueUpload(database, tenant, id, upload)
      // Where a bucket tells of its objects, the job waits for its word, and that came when the file did.
      if (there?.version !== undefined && status === "queued") await put()
      return { id, status }
    },
    async presign(tenant, request, contentType) {
      const unique = randomBytes(16).toString("base64url")
      const id = request.id ?? documentIdFor(request.fileName, randomBytes(32).toString("hex"))
      const key = uploadKey(tenant, id, unique)
      const url = await objects.presignPut(key, contentType, PRESIGNED_S)
      if (url === null) return null
      requireTenantIn(key)
      const expires = new Date(Date.now() + PRESIGNED_S * 1_000).toISOString()
      await expect(tenant, key, id, request, PRESIGNED_S * 1_000 + PRESIGNED_GRACE_MS)
      return { id, upload: { url, method: "PUT", headers: { "content-type": contentType }, expires } }
    },
    async collect(tenant, documentId) {
      const [rows = []] = await database.batch({ tenant }, [{ text: EXPECTED, values: [documentId] }])
      for (const { key } of rows as unknown as { key: string }[]) {
        const found = await objects.head(key)
        if (found) return events.received(tenant, documentId, { key, bytes: found.bytes, version: found.version })
      }
      return null
    },
    delete: remove,
    async reset(tenant) {
      let removed = 0
      for (;;) {
        const { documents: page } = await documents.list(tenant, { limit: 200 })
        if (page.length === 0) return removed
        for (const { id } of page) if (await remove(tenant, id)) removed++
      }
    },
  }
}
