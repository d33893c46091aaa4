import type * as z from "zod"
import type { Database } from "../../database/database.ts"
import { LEASE_MS, leaseFor } from "../ingest/jobs.ts"
import type { HeldJob } from "../ingest/upload.ts"

/** What the notes are of. */
export type NotedKind = "chunk" | "figure"

/** Notes as they are kept. */
export interface StoredNotes<T> {
  readonly model: string
  readonly notes: T
}

/** What one call to the model came to: notes by hash, and its tokens. */
export interface CallResult {
  readonly kind: NotedKind
  readonly model: string
  readonly notes: ReadonlyMap<string, unknown>
  readonly tokens: number
}

/** What language models noted of documents, kept apart from what is served. */
export interface Enrichments {
  /** By hash, those in this shape; of this version of the document and the one that is served. */
  load<T>(job: HeldJob, kind: NotedKind, shape: z.ZodType<T>): Promise<ReadonlyMap<string, StoredNotes<T>>>
  /** Tokens that the job has taken so far. */
  tokensOf(job: HeldJob): Promise<number>
  /** Notes how far the job is. False when it is no longer held. */
  noteSteps(job: HeldJob, steps: { readonly done: number; readonly total: number }): Promise<boolean>
  /** False as `noteSteps`, and then nothing was saved. */
  save(job: HeldJob, result: CallResult): Promise<boolean>
}

const HELD = "document_id = $1 and generation = $2 and worker = $3 and state = 'processing'"
const LEASE = `lease_until = ${leaseFor(LEASE_MS)}`

const LOAD = "select hash, model, notes from enrichments where document_id = $1 and kind = $2"
const TOKENS = "select enrich_tokens::float8 as tokens from ingest_jobs where document_id = $1 and generation = $2"
const NOTE_STEPS = `update ingest_jobs set ${LEASE}, enrich_done = $4, enrich_total = $5 where ${HELD} returning 1`

// As with the other drafts: only who holds the job saves, and what is saved starts the count of attempts anew.
const SAVE = `
  with job as (
    update ingest_jobs set ${LEASE}, enrich_tokens = enrich_tokens + $4, enrich_done = enrich_done + $5,
           attempts = case when $5 > 0 then 0 else attempts end
     where ${HELD} returning source_account_id, document_id),
  saved as (
    insert into enrichments (source_account_id, document_id, kind, hash, model, notes)
    select j.source_account_id, j.document_id, $6, given.hash, $7, given.notes
      from job j, jsonb_to_recordset($8::text::jsonb) as given (hash text, notes jsonb)
    on conflict (source_account_id, document_id, kind, hash) do update set model = excluded.model, notes = excluded.notes)
  select 1 from job`

export function createEnrichments(database: Database): Enrichments {
  const query = async <R>(tenant: string, text: string, values: readonly (string | number)[]) => {
    const [rows = []] = await database.batch({ tenant }, [{ text, values }])
    return rows as unknown as R[]
  }
  return {
    async load({ tenant, documentId }, kind, shape) {
      const rows = await query<StoredNotes<unknown> & { hash: string }>(tenant, LOAD, [documentId, kind])
      const read = rows.map(({ hash, model, notes }) => ({ hash, model, parsed: shape.safeParse(notes) }))
      return new Map(
        read.flatMap(({ hash, model, parsed: { data } }) => (data ? [[hash, { model, notes: data }]] : [])),
      )
    },
    async tokensOf({ tenant, documentId, generation }) {
      const [row] = await query<{ tokens: number }>(tenant, TOKENS, [documentId, generation])
      return row?.tokens ?? 0
    },
    async noteSteps({ tenant, documentId, generation, worker }, { done, total }) {
      return (await query(tenant, NOTE_STEPS, [documentId, generation, worker, done, total])).length > 0
    },
    async save({ tenant, documentId, generation, worker }, { kind, model, notes, tokens }) {
      const rows = JSON.stringify([...notes].map(([hash, given]) => ({ hash, notes: given })))
      const values = [documentId, generation, worker, tokens, notes.size, kind, model, rows]
      return (await query(tenant, SAVE, values)).length > 0
    },
  }
}
