import type { Database, OwnerDatabase } from "../database/database.ts"
import { createCleanUp } from "../documents/ingest/clean-up.ts"
import { expireDocuments } from "../documents/ingest/expire-documents.ts"
import { findLeftovers } from "../documents/ingest/find-leftovers.ts"
import type { Log } from "../log.ts"
import type { ObjectStore } from "../objects/object-store.ts"
import { listTenants } from "./tenants.ts"

interface SweepDeps {
  readonly database: Database
  readonly owner: OwnerDatabase
  readonly objects: ObjectStore
  readonly log: Log
}

interface SweepOptions {
  /** All tenants when absent. */
  readonly tenants?: readonly string[] | undefined
  /** Documents stay for ever when absent. */
  readonly retentionDays?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** What a sweep removed. */
export interface Swept {
  readonly documents: number
  /** Documents whose leftovers it looked through. */
  readonly leftovers: number
  readonly tombstones: number
}

const DOCUMENTS_PER_STEP = 50
/** Longest that days of used tokens are kept: the day's limit needs one, an invoice a quarter. */
const TOKEN_DAYS = 90
/** A tombstone stays at least as long as anything of its document may come late: dead letters wait for two weeks. */
const TOMBSTONE_DAYS_MIN = 30

// The keys of a document's uploads go with it; a number of a chunk may be given again from here on (ADR 12).
const REMOVE_TOMBSTONES = `
  with gone as (
    delete from concordance.documents d
     where status = 'deleted' and updated_at < now() - $1::float8 * interval '1 day'
       and not exists (select from concordance.ingest_jobs j
                        where j.source_account_id = d.source_account_id and j.document_id = d.id)
       and not exists (select from concordance.uploads u
                        where u.source_account_id = d.source_account_id and u.document_id = d.id)
    returning source_account_id, id),
  keys as (
    delete from concordance.upload_keys k using gone g where k.source_account_id = g.source_account_id and k.document_id = g.id)
  select count(*)::int as count from gone`

/**
 * What rides on writes and starts elsewhere, at once and to its end: documents older than the retention, what deletes and
 * uploads left, and rows that are kept for a time (`sweepAges`). For whoever runs it by cron.
 */
export async function sweep(deps: SweepDeps, options: SweepOptions = {}): Promise<Swept> {
  const { retentionDays, signal } = options
  const tenants = options.tenants ?? (await listTenants(deps.owner)).map(({ tenant }) => tenant)
  const cleanUp = createCleanUp(deps)
  let documents = 0
  let leftovers = 0
  for (const tenant of tenants) {
    for (let more = retentionDays !== undefined; more; ) {
      signal?.throwIfAborted()
      const gone = await expireDocuments(deps.database, tenant, retentionDays ?? 0, DOCUMENTS_PER_STEP)
      documents += gone.length
      more = gone.length === DOCUMENTS_PER_STEP
    }
    for (const id of await findLeftovers(deps.database, tenant)) {
      signal?.throwIfAborted()
      await cleanUp(tenant, id)
      leftovers++
    }
  }
  return { documents, leftovers, tombstones: await sweepAges(deps.owner, retentionDays) }
}

/**
 * Removes rows that are kept for a time, of all tenants: days of used tokens after 90 days, deliveries of webhooks 30 days after their
 * end, once those that nobody took for four days have ended; with a retention, tombstones once
 * they are as old as that again, and 30 days at least. Returns how many tombstones went.
 */
export async function sweepAges(owner: OwnerDatabase, retentionDays: number | undefined): Promise<number> {
  return owner.session(async (session) => {
    for (const table of ["answer_tokens", "inference_tokens"]) {
      await session.query(
        `delete from concordance.${table} where day < (now() at time zone 'utc')::date - ${TOKEN_DAYS}`,
      )
    }
    await session.query("select concordance.age_webhooks()")
    if (retentionDays === undefined) return 0
    const [row] = await session.query<{ count: number }>(REMOVE_TOMBSTONES, [
      Math.max(retentionDays, TOMBSTONE_DAYS_MIN),
    ])
    return row?.count ?? 0
  })
}
