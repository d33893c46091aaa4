import * as z from "zod"
import type { Database } from "../database/database.ts"
import { UploadError, uploadError } from "./documents.ts"

/** How many of the latest failures are told. */
const FAILURES_MAX = 20

/** An upload that came to nothing. What was served under the id before still is. */
const FailedUpload = z.object({
  id: z.string(),
  title: z.string(),
  error: UploadError,
  failed_at: z.string().describe("ISO 8601"),
})

/** What a tenant's documents amount to. */
export const CollectionTotals = z.object({
  documents: z.int().describe("Those whose first upload is still being read, or failed, too"),
  passages: z.int().describe("What a search may find"),
  pages: z.int(),
  waiting: z.int().describe("Uploads that are queued or being read"),
  failed: z.int().describe("Documents whose latest upload failed"),
  failures: z.array(FailedUpload).max(FAILURES_MAX).describe("The latest of them, latest first"),
})
export type CollectionTotals = z.infer<typeof CollectionTotals>

/** Counts what a tenant holds. It reads every row of its documents, and none of the far more chunks. */
export type CountCollection = (tenant: string) => Promise<CollectionTotals>

const HELD = `
  select count(*)::int as documents, coalesce(sum(page_count), 0)::float8 as pages
    from documents where status <> 'deleted'`

// What the search by words counts anyway; reading every chunk would take seconds of a million.
const PASSAGES = `
  with counted as (
    select chunks from lexeme_counts where lexicon in ('en', 'pt', 'simple') and lexeme = ''
    union all
    select chunks from lexeme_count_deltas where lexicon in ('en', 'pt', 'simple') and lexeme = '')
  select (coalesce((select sum(chunks) from counted), 0)
          - (select count(*) from chunks
              where searchable and translation_language is not null
                and lexicon(language) <> lexicon(translation_language)))::float8 as passages`

const JOBS = `
  select (select count(*)::int from ingest_jobs where state in ('queued', 'processing')) as waiting,
         (select count(*)::int from ingest_jobs where state = 'failed') as failed`

const FAILURES = `
  select d.id, d.title, j.error_code, j.error, j.request_id,
         to_char(j.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as failed_at
    from ingest_jobs j
    join documents d on d.source_account_id = j.source_account_id and d.id = j.document_id
   where j.state = 'failed' order by j.updated_at desc, d.id limit ${FAILURES_MAX}`

/** A row of `FAILURES`. */
interface FailureRow {
  readonly id: string
  readonly title: string
  readonly error_code: string | null
  readonly error: string | null
  readonly request_id: string | null
  readonly failed_at: string
}

export function createCountCollection(database: Database): CountCollection {
  return async (tenant) => {
    const statements = [HELD, PASSAGES, JOBS, FAILURES].map((text) => ({ text, values: [] }))
    const [held = [], passages = [], jobs = [], failures = []] = await database.batch({ tenant }, statements)
    const count = (row: Record<string, unknown> | undefined, name: string) => Number(row?.[name] ?? 0)
    return {
      documents: count(held[0], "documents"),
      passages: count(passages[0], "passages"),
      pages: count(held[0], "pages"),
      waiting: count(jobs[0], "waiting"),
      failed: count(jobs[0], "failed"),
      failures: (failures as unknown as FailureRow[]).map(({ error_code, error, request_id, ...row }) => ({
        ...row,
        error: uploadError({ error_code, error, request_id }),
      })),
    }
  }
}
