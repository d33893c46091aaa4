import type { Database } from "../../database/database.ts"
import type { AssembledTable } from "../assembled-document.ts"
import { renumbered, writeGivenPages } from "../bundles/bundle-document.ts"
import { claimImages } from "../bundles/bundle-images.ts"
import type { Bundle } from "../bundles/read-bundle.ts"
import type { EmbeddedDocument } from "../embed-documents.ts"
import { storable } from "../storable.ts"
import { replaceDocuments } from "../write-documents.ts"
import { writeTables } from "../write-tables.ts"
import type { HeldJob } from "./upload.ts"

/** Warnings that are kept: a hostile file could have one for each of its pages. */
const WARNINGS_MAX = 100

const LOCK_DOCUMENT = `
  select 1 from documents where id = $1 and generation = $2 and status <> 'deleted' for update`

const LOCK_JOB = `
  select 1 from ingest_jobs
   where document_id = $1 and generation = $2 and worker = $3 and state = 'processing' for update`

const INSERT_PAGES = `
  insert into pages (source_account_id, document_id, number, width, height, image_key, source, confidence)
  select source_account_id, document_id, number, width, height, image_key, source, confidence
    from page_drafts where document_id = $1 and generation = $2`

const FINISH_JOB = `
  update ingest_jobs set state = 'done', error_code = null, error = null, warnings = $3::text::jsonb,
         pages_done = coalesce(pages_total, 1), pages_total = coalesce(pages_total, 1), updated_at = now()
   where document_id = $1 and generation = $2`

const REMOVE_DRAFTS = `
  with no_pages as (delete from page_drafts where document_id = $1 and generation = $2)
  delete from embedding_drafts where document_id = $1 and generation = $2`

const REMOVE_NOTES = "delete from enrichments where document_id = $1 and hash <> all($2::text[])"

/** What is published beside chunks and pages. */
interface Published {
  readonly tables: readonly AssembledTable[]
  /** Of all chunks and figures: a language model's notes of anything else go. */
  readonly noteHashes: readonly string[]
  /** Where the document is one: its pages, and the pictures that its chunks take over. */
  readonly bundle?: { readonly bundle: Bundle; readonly imageKeys: readonly string[] }
}

/**
 * Puts the job's document in the place of the served one: chunks, vectors, pages and tables, in one transaction. False
 * when the job is no longer held or its document has moved on, and then nothing has changed.
 */
export async function publish(
  database: Database,
  job: HeldJob,
  embedded: EmbeddedDocument,
  { tables, noteHashes, bundle }: Published,
): Promise<boolean> {
  const { tenant, documentId, generation, worker } = job
  return database.transaction({ tenant }, async (transaction) => {
    // The document before the job, in the order in which uploads and deletes lock them.
    const [document] = await transaction.query(LOCK_DOCUMENT, [documentId, generation])
    const [held] = await transaction.query(LOCK_JOB, [documentId, generation, worker])
    if (!document || !held) return false
    if (bundle) await claimImages(transaction, documentId, bundle.imageKeys)
    const [chunkIds = []] = await replaceDocuments(transaction, tenant, [embedded])
    if (bundle) await writeGivenPages(transaction, tenant, bundle.bundle)
    else await transaction.query(INSERT_PAGES, [documentId, generation])
    const warnings = [...embedded.warnings, ...(bundle ? renumbered(bundle.bundle, chunkIds) : [])]
    await writeTables(transaction, tenant, documentId, tables)
    await transaction.query(FINISH_JOB, [documentId, generation, JSON.stringify(shownWarnings(warnings))])
    await transaction.query(REMOVE_DRAFTS, [documentId, generation])
    await transaction.query(REMOVE_NOTES, [documentId, noteHashes])
    return true
  })
}

function shownWarnings(warnings: readonly string[]): string[] {
  const shown = warnings.slice(0, WARNINGS_MAX).map(storable)
  return warnings.length > WARNINGS_MAX ? [...shown, `and ${warnings.length - WARNINGS_MAX} more`] : shown
}
