import * as z from "zod"
import { decodeCursor, encodeCursor } from "../cursor.ts"
import type { Database, Statement } from "../database/database.ts"
import { AppError } from "../errors.ts"

/** Where a document is on its way: `failed` and `queued` may hold of a new version while the old one is served. */
const DocumentStatus = z.enum(["queued", "processing", "ready", "failed"])

/** Why an upload failed. */
export const UploadError = z.object({
  code: z.string(),
  message: z.string(),
  request_id: z
    .string()
    .optional()
    .describe("Of the request that brought the upload; in the log, its lines have it too"),
})

/** The error in a job's row. */
export function uploadError(row: {
  readonly error_code: string | null
  readonly error: string | null
  readonly request_id: string | null
}): z.infer<typeof UploadError> {
  const { error_code: code, error: message, request_id } = row
  return { code: code ?? "internal", message: message ?? "", ...(request_id !== null && { request_id }) }
}

/** One row of `GET /documents`. */
export const DocumentSummary = z.object({
  id: z.string(),
  title: z.string(),
  status: DocumentStatus.describe("Of the latest upload; what was there before is served until it is `ready`"),
  languages: z.array(z.string()),
  chunks: z.int(),
  page_count: z.int().optional().describe("Absent for formats without pages, and until they are counted"),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string(),
  error: UploadError.optional().describe("Why the latest upload failed"),
})
export type DocumentSummary = z.infer<typeof DocumentSummary>

/** Answer of `GET /documents/{id}`. */
export const DocumentDetails = DocumentSummary.extend({
  mime_type: z.string().optional(),
  progress: z
    .object({
      done: z.int(),
      total: z.int(),
      pages: z.object({ done: z.int(), total: z.int() }).describe("Of these, pages that are read"),
    })
    .optional()
    .describe(
      "Pages read, chunks and figures that a language model saw to, and chunks embedded; each adds to the total once it is counted",
    ),
  warnings: z.array(z.string()).optional().describe("What of the file was left out, and what was not enriched"),
  enrichment_tokens: z
    .int()
    .optional()
    .describe(
      "What the enrichment of the latest upload took, asked and answered, as the language model's server counts",
    ),
})
export type DocumentDetails = z.infer<typeof DocumentDetails>

export const DocumentPage = z.object({ documents: z.array(DocumentSummary), next_cursor: z.string().optional() })
export type DocumentPage = z.infer<typeof DocumentPage>

/** The documents a tenant holds. */
export interface Documents {
  /** In order of id; `cursor` is `next_cursor` of the page before. Throws `invalid_request` on a foreign cursor. */
  list(tenant: string, page: { readonly limit: number; readonly cursor?: string }): Promise<DocumentPage>
  /** The first ids that begin so, in order: what a person may be typing. */
  idsFrom(tenant: string, prefix: string, limit: number): Promise<readonly string[]>
  /** Throws `not_found`. */
  get(tenant: string, id: string): Promise<DocumentDetails>
  /**
   * Removes the document, its chunks, vectors, pages and tables, takes work on it off, and leaves a tombstone. False
   * when there was none.
   */
  delete(tenant: string, id: string): Promise<boolean>
}

const SUMMARY = `
  select d.id, d.title, d.languages, d.metadata, d.page_count, d.mime_type,
         case when j.state in ('queued', 'processing', 'failed') then j.state else d.status end as status,
         (select count(*)::int from chunks c
           where c.source_account_id = d.source_account_id and c.document_id = d.id and c.searchable) as chunks,
         to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
         to_char(d.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at,
         j.state as job_state, j.pages_done + j.enrich_done + j.embed_done as steps_done,
         j.pages_total + j.enrich_total + j.embed_total as steps_total,
         j.pages_done, j.pages_total, j.enrich_tokens::float8 as enrich_tokens, j.error_code, j.error, j.request_id, j.warnings
    from documents d
    left join lateral (
      select * from ingest_jobs j
       where j.source_account_id = d.source_account_id and j.document_id = d.id and j.state <> 'superseded'
       order by j.generation desc limit 1) j on true
   where d.status <> 'deleted'`

const IDS_FROM = `
  select id from documents where status <> 'deleted' and id >= $1 and starts_with(id, $1) order by id limit $2`

// The tombstone keeps its highest chunk number, so that an id is not used again if the document comes back.
const EMPTY = `
  status = 'deleted', title = '', source_uri = null, mime_type = null, sha256 = null, languages = '{}', metadata = '{}',
  page_count = null, error = null, generation = d.generation + 1, updated_at = now()`

const BURY = `update documents d set ${EMPTY} where id = $1 and status <> 'deleted' returning id`

const OF_THE_BURIED = `document_id = $1 and exists (select from documents d where d.id = $1 and d.status = 'deleted')`
const REMOVE_CONTENTS = [
  // A file that is announced must not bring it back, even where there is no document yet.
  // Nor an import under way, whose pictures are announced. A picture's row that is over marks what is to be removed: it stays.
  `delete from uploads where document_id = $1 and (starts_with(key, 'uploads/') or expires_at > now())
      and not exists (select from documents d where d.id = $1 and d.status <> 'deleted')`,
  // Marks that there are objects to remove; so do jobs.
  `insert into uploads (source_account_id, key, document_id, expires_at)
   select distinct source_account_id, image_key, document_id, now() from chunks where ${OF_THE_BURIED} and image_key is not null
   on conflict do nothing`,
  `delete from chunks where ${OF_THE_BURIED}`,
  `delete from pages where ${OF_THE_BURIED}`,
  `delete from document_tables where ${OF_THE_BURIED}`,
  `delete from enrichments where ${OF_THE_BURIED}`,
  `update ingest_jobs set state = 'superseded', worker = null, lease_until = null
    where ${OF_THE_BURIED} and state <> 'superseded'`,
]

/** What a delete may take, ms, longer than other requests: the rows and counts of a large document go with it. */
export const DELETE_MS = 120_000

/** A row of `SUMMARY`. */
interface SummaryRow {
  readonly id: string
  readonly title: string
  readonly status: DocumentSummary["status"]
  readonly languages: string[]
  readonly chunks: number
  readonly metadata: Record<string, unknown>
  readonly page_count: number | null
  readonly mime_type: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly job_state: "queued" | "processing" | "done" | "failed" | null
  readonly steps_done: number | null
  readonly steps_total: number | null
  readonly pages_done: number | null
  readonly pages_total: number | null
  readonly enrich_tokens: number | null
  readonly error_code: string | null
  readonly error: string | null
  readonly request_id: string | null
  readonly warnings: string[] | null
}

export function createDocuments(database: Database): Documents {
  return {
    async list(tenant, { limit, cursor }) {
      const list = ["documents", tenant]
      const after = cursor === undefined ? "" : decodeCursor(cursor, list, "string")
      const text = `${SUMMARY} and d.id > $1 order by d.id limit $2`
      const [rows = []] = await database.batch({ tenant }, [{ text, values: [after, limit + 1] }])
      const documents = (rows as unknown as SummaryRow[]).slice(0, limit).map(toSummary)
      const last = documents.at(-1)
      return { documents, ...(rows.length > limit && last && { next_cursor: encodeCursor(last.id, list) }) }
    },

    async idsFrom(tenant, prefix, limit) {
      const [rows = []] = await database.batch({ tenant }, [{ text: IDS_FROM, values: [prefix, limit] }])
      return rows.map((row) => String(row["id"]))
    },

    async get(tenant, id) {
      const [rows = []] = await database.batch({ tenant }, [{ text: `${SUMMARY} and d.id = $1`, values: [id] }])
      const [row] = rows as unknown as SummaryRow[]
      if (!row) throw new AppError("not_found", "There is no document with this id")
      return toDetails(row)
    },

    async delete(tenant, id) {
      const [buried = []] = await database.batch({ tenant }, deletion(id), { timeoutMs: DELETE_MS })
      return buried.length > 0
    },
  }
}

/** Statements of one transaction that delete a document; the first gives a row, or none where there is no document. */
export function deletion(id: string): readonly Statement[] {
  return [BURY, ...REMOVE_CONTENTS].map((text) => ({ text, values: [id] }))
}

function toSummary(row: SummaryRow): DocumentSummary {
  const { id, title, status, languages, chunks, page_count, metadata, created_at, updated_at } = row
  const pages = page_count !== null && { page_count }
  const error = row.job_state === "failed" && { error: uploadError(row) }
  return { id, title, status, languages, chunks, ...pages, metadata, created_at, updated_at, ...error }
}

function toDetails(row: SummaryRow): DocumentDetails {
  const { job_state, steps_done, steps_total, warnings, mime_type } = row
  const pages = { done: row.pages_done ?? 0, total: row.pages_total ?? 0 }
  const isUnderway = job_state === "queued" || job_state === "processing"
  return {
    ...toSummary(row),
    ...(mime_type !== null && { mime_type }),
    ...(isUnderway && steps_total !== null && { progress: { done: steps_done ?? 0, total: steps_total, pages } }),
    ...(warnings && warnings.length > 0 && { warnings }),
    ...(row.enrich_tokens && { enrichment_tokens: row.enrich_tokens }),
  }
}
