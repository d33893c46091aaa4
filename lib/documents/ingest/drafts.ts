import type { Database, SqlValue } from "../../database/database.ts"
import { halfvecToSql, vectorFromBase64 } from "../../vector.ts"
import type { PageText } from "../page.ts"
import { LEASE_MS, leaseFor } from "./jobs.ts"
import { type PageDraft, type PageDraftRow, packPage, unpackPage } from "./page-draft.ts"
import type { HeldJob, IngestProgress } from "./upload.ts"

/** A vector that a job has made, by the SHA-256 of the text that the model read. */
export interface VectorDraft {
  readonly textHash: string
  readonly vector: Float32Array
  /** Whether the model read only the beginning. */
  readonly isTruncated: boolean
}

/** A page of a job as far as the layout and the uploader are concerned. */
export interface DraftedPage {
  readonly number: number
  /** Null of a page that could not be read. */
  readonly text: PageText | null
  readonly imageKey: string | null
  readonly warning: string | null
}

// Only who still holds the job saves anything: the lock on its row keeps a delete out until the draft is in. Progress
// starts the count of attempts anew.
const withJob = (counter: "pages_done" | "embed_done") => `
  with job as (
    update ingest_jobs set lease_until = ${leaseFor(LEASE_MS)}, attempts = 0, ${counter} = ${counter} + $4
     where document_id = $1 and generation = $2 and worker = $3 and state = 'processing'
    returning source_account_id, document_id, generation)`

const NOTE_VECTORS = `
  update ingest_jobs set embed_done = $4, embed_total = $5
   where document_id = $1 and generation = $2 and worker = $3 and state = 'processing'`

const SAVE_PAGE = `${withJob("pages_done")}
  insert into page_drafts (source_account_id, document_id, generation, number, width, height, image_key, source,
                           confidence, content, warning)
  select j.*, $5::int, $6::float8, $7::float8, $8::text, $9::text, $10::float8, $11::text, $12::text from job j
  on conflict (source_account_id, document_id, generation, number) do update set number = excluded.number
  returning 1`

const SAVE_VECTORS = `${withJob("embed_done")}
  insert into embedding_drafts (source_account_id, document_id, generation, model, text_hash, embedding, truncated)
  select j.*, $5::text, given.hash, given.vector::halfvec, given.truncated
    from job j, unnest($6::text[], $7::text[], $8::boolean[]) as given (hash, vector, truncated)
  on conflict (source_account_id, document_id, generation, model, text_hash) do update set model = excluded.model
  returning 1`

/** Rows of one answer: of pages some 5 MB, of vectors 6. Neon's HTTP answers are bounded, and so is this process's memory. */
const SLICE = 500

interface VectorRow {
  readonly text_hash: string
  readonly truncated: boolean
  readonly vector: string
}

const OF_JOB = "where document_id = $1 and generation = $2"

/** What a job has finished, kept apart from what is served. */
export interface Drafts {
  /** False when the job is no longer held, and then nothing was saved. */
  savePage(job: HeldJob, page: PageDraft): Promise<boolean>
  /** Numbers of the pages that are there. */
  pageNumbers(job: HeldJob): Promise<ReadonlySet<number>>
  /** In order of number. */
  pages(job: HeldJob): Promise<readonly DraftedPage[]>
  /** Notes how many texts have their vector, and how many there are; `saveVectors` counts on from there. */
  noteVectors(job: HeldJob, progress: IngestProgress): Promise<void>
  /** As `savePage`. */
  saveVectors(job: HeldJob, model: string, vectors: readonly VectorDraft[]): Promise<boolean>
  /** Hashes of the texts that have their vector. */
  textHashes(job: HeldJob, model: string): Promise<ReadonlySet<string>>
  vectors(job: HeldJob, model: string): Promise<readonly VectorDraft[]>
}

export function createDrafts(database: Database): Drafts {
  const query = async <R>(
    { tenant, documentId, generation }: HeldJob,
    text: string,
    more: readonly SqlValue[] = [],
  ) => {
    const [rows = []] = await database.batch({ tenant }, [{ text, values: [documentId, generation, ...more] }])
    return rows as unknown as R[]
  }
  /** All rows, `SLICE` at a time, `after` the key of the last one. */
  async function inSlices<R>(first: SqlValue, keyOf: (row: R) => SqlValue, read: (after: SqlValue) => Promise<R[]>) {
    const rows: R[] = []
    for (let after = first; ; ) {
      const slice = await read(after)
      for (const row of slice) rows.push(row)
      const last = slice.at(-1)
      if (slice.length < SLICE || last === undefined) return rows
      after = keyOf(last)
    }
  }
  return {
    async savePage({ tenant, documentId, generation, worker }, page) {
      const row = packPage(page)
      const values = [
        ...[documentId, generation, worker, 1, row.number, row.width, row.height, row.image_key, row.source],
        ...[row.confidence, row.content, row.warning],
      ]
      const [saved = []] = await database.batch({ tenant }, [{ text: SAVE_PAGE, values }])
      return saved.length > 0
    },
    async pageNumbers(job) {
      const rows = await query<{ number: number }>(job, `select number from page_drafts ${OF_JOB}`)
      return new Set(rows.map(({ number }) => number))
    },
    async pages(job) {
      const text = `select * from page_drafts ${OF_JOB} and number > $3 order by number limit ${SLICE}`
      const rows = await inSlices<PageDraftRow>(
        0,
        ({ number }) => number,
        (after) => query<PageDraftRow>(job, text, [after]),
      )
      return rows.map((row) => {
        return { number: row.number, text: unpackPage(row), imageKey: row.image_key, warning: row.warning }
      })
    },
    async noteVectors({ tenant, documentId, generation, worker }, { done, total }) {
      await database.batch({ tenant }, [{ text: NOTE_VECTORS, values: [documentId, generation, worker, done, total] }])
    },
    async saveVectors({ tenant, documentId, generation, worker }, model, vectors) {
      const values = [
        ...[documentId, generation, worker, vectors.length, model, vectors.map(({ textHash }) => textHash)],
        ...[vectors.map(({ vector }) => halfvecToSql(vector)), vectors.map(({ isTruncated }) => String(isTruncated))],
      ]
      const [saved = []] = await database.batch({ tenant }, [{ text: SAVE_VECTORS, values }])
      return saved.length > 0
    },
    async textHashes(job, model) {
      const text = `select text_hash from embedding_drafts ${OF_JOB} and model = $3`
      const rows = await query<{ text_hash: string }>(job, text, [model])
      return new Set(rows.map(({ text_hash }) => text_hash))
    },
    async vectors(job, model) {
      const text = `select text_hash, truncated, encode(halfvec_send(embedding), 'base64') as vector
        from embedding_drafts ${OF_JOB} and model = $3 and text_hash > $4
       order by text_hash limit ${SLICE}`
      const rows = await inSlices<VectorRow>(
        "",
        ({ text_hash }) => text_hash,
        (after) => query<VectorRow>(job, text, [model, after]),
      )
      return rows.map(({ text_hash, truncated, vector }) => ({
        textHash: text_hash,
        vector: vectorFromBase64(vector),
        isTruncated: truncated,
      }))
    },
  }
}
