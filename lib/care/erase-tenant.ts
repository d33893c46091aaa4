import type { OwnerDatabase, OwnerSession } from "../database/database.ts"
import { AppError } from "../errors.ts"
import { tenantPrefixes } from "../objects/object-key.ts"
import type { ObjectStore } from "../objects/object-store.ts"
import { inGroups } from "./copy-objects.ts"
import { tenantTables } from "./tenants.ts"

interface EraseDeps {
  readonly owner: OwnerDatabase
  readonly objects: ObjectStore
}

export interface EraseOptions {
  /** Goes on though indexes elsewhere hold documents of the tenant: nothing here knows of them afterwards. */
  readonly leavePublished?: boolean | undefined
  readonly onProgress?: (what: string, done: number) => void
  readonly signal?: AbortSignal | undefined
}

/** What was erased. */
export interface Erased {
  /** Rows by table, of those that had any. */
  readonly rows: Readonly<Record<string, number>>
  readonly objects: number
  /** Ids of keys that named this tenant alone, and are refused from now on. */
  readonly keysRevoked: readonly string[]
  /** Ids of keys that name others too: they have lost this one. */
  readonly keysNarrowed: readonly string[]
}

/** Documents that are deleted by one transaction: with their chunks, vectors and pages. */
const DOCUMENTS_PER_STEP = 50
const ROWS_PER_STEP = 20_000
/** What S3 deletes in one request. */
const OBJECTS_PER_STEP = 1_000
/** Times that everything is looked through: a writer that was under way may add to what was seen. */
const PASSES_MAX = 5

const REVOKE = `
  update api_keys set revoked_at = coalesce(revoked_at, now()), tenants = '{}', name = '' where tenants = array[$1]::text[] returning id`
const NARROW = `update api_keys set tenants = array_remove(tenants, $1) where $1 = any(tenants) returning id`

/**
 * Erases every trace of a tenant: rows in every table of the catalog that has tenants, objects, its name in keys, its indexes
 * of vectors, and dead rows by VACUUM. Works in small transactions, so that one that is killed is run again. Whoever still
 * works for the tenant finds nothing to write to, and the bucket's late events change nothing. Throws `conflict` where
 * indexes elsewhere hold its documents, the signal's reason, and what database and store throw.
 */
export async function eraseTenant(
  { owner, objects }: EraseDeps,
  tenant: string,
  options: EraseOptions = {},
): Promise<Erased> {
  if (!options.leavePublished) await refusePublished(owner, tenant)
  const keys = await owner.session((session) => closeDoors(session, tenant))
  const rows: Record<string, number> = {}
  let removed = 0
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const gone = await owner.session((session) => eraseRows(session, tenant, options))
    for (const [table, count] of Object.entries(gone)) rows[table] = (rows[table] ?? 0) + count
    // After the rows: a worker that stored something meanwhile finds no job, or is found by the next pass.
    const files = await eraseObjects(objects, tenant, options)
    removed += files
    if (files === 0 && Object.keys(gone).length === 0) break
  }
  await owner.session((session) => forget(session, tenant, Object.keys(rows)))
  return { rows, objects: removed, ...keys }
}

async function refusePublished(owner: OwnerDatabase, tenant: string): Promise<void> {
  const rows = await owner.session((session) =>
    session.query<{ target: string; documents: number }>(
      `select target, count(*)::int as documents from concordance.index_publications
        where source_account_id = $1 and (generation is null or chunk_ids <> '{}') group by 1 order by 1`,
      [tenant],
    ),
  )
  if (rows.length === 0) return
  const where = rows.map(({ target, documents }) => `${documents} in ${target}`).join(", ")
  throw new AppError(
    "conflict",
    `Documents of this tenant are in indexes elsewhere (${where}). Delete them there first: concordance documents delete <ids> --from <engine> --tenant <name>. With --leave-published they stay there, and nothing here knows of them`,
  )
}

/** Keys first, and the mark by which late events are known. */
async function closeDoors(
  session: OwnerSession,
  tenant: string,
): Promise<Pick<Erased, "keysRevoked" | "keysNarrowed">> {
  return session.transaction(async () => {
    const ids = async (text: string) => (await session.query<{ id: string }>(text, [tenant])).map(({ id }) => id).sort()
    const keysRevoked = await ids(REVOKE)
    const keysNarrowed = await ids(NARROW)
    await session.query(
      "insert into erased_tenants (digest) values (tenant_digest($1)) on conflict (digest) do update set erased_at = now()",
      [tenant],
    )
    return { keysRevoked, keysNarrowed }
  })
}

async function eraseRows(session: OwnerSession, tenant: string, { onProgress, signal }: EraseOptions) {
  const gone: Record<string, number> = {}
  const remove = async (table: string, text: string, perStep: number) => {
    for (;;) {
      signal?.throwIfAborted()
      const [row] = await session.query<{ count: number }>(
        `with gone as (${text} returning 1) select count(*)::int as count from gone`,
        [tenant],
      )
      const count = row?.count ?? 0
      if (count > 0) gone[table] = (gone[table] ?? 0) + count
      onProgress?.(table, gone[table] ?? 0)
      if (count < perStep) return
    }
  }
  const spaces = await session.query<{ id: number }>(
    "select id from embedding_spaces where source_account_id = $1 and indexed",
    [tenant],
  )
  for (const { id } of spaces) await session.query(`drop index if exists concordance.embeddings_space_${id}`)
  const documents = `
    delete from documents where source_account_id = $1 and id in (
      select id from documents where source_account_id = $1 limit ${DOCUMENTS_PER_STEP})`
  await remove("documents", documents, DOCUMENTS_PER_STEP)
  for (const table of await tenantTables(session)) {
    const text = `
      delete from concordance.${table} where source_account_id = $1 and ctid = any(array(
        select ctid from concordance.${table} where source_account_id = $1 limit ${ROWS_PER_STEP}))`
    await remove(table, text, ROWS_PER_STEP)
  }
  return gone
}

async function eraseObjects(
  objects: ObjectStore,
  tenant: string,
  { onProgress, signal }: EraseOptions,
): Promise<number> {
  let removed = 0
  for (const prefix of tenantPrefixes(tenant)) {
    for await (const some of inGroups(objects.list(prefix), OBJECTS_PER_STEP)) {
      signal?.throwIfAborted()
      await objects.delete(some.map(({ key }) => key))
      removed += some.length
      onProgress?.("objects", removed)
    }
  }
  return removed
}

/** What stands outside the tables of tenants; then the dead rows themselves and what the planner remembers of them. */
async function forget(session: OwnerSession, tenant: string, tables: readonly string[]): Promise<void> {
  await session.query(
    "update plugin_upgrade set last_source_account_id = null, last_id = null where last_source_account_id = $1 and finished_at is not null",
    [tenant],
  )
  for (const table of ["np_retrieval_embeddings_v0", "np_retrieval_documents_v0"]) {
    const [old] = await session.query<{ here: boolean }>("select to_regclass($1) is not null as here", [
      `public.${table}`,
    ])
    if (old?.here) await session.query(`delete from public.${table} where source_account_id = $1`, [tenant])
  }
  for (const table of new Set([...tables, ...(tables.includes("documents") ? CASCADED : [])])) {
    await session.query(`vacuum (analyze) concordance.${table}`)
  }
}

/** Go with their documents, and so are not among the tables that had rows of their own. */
const CASCADED = [
  "chunks",
  "embeddings",
  "pages",
  "document_tables",
  "ingest_jobs",
  "page_drafts",
  "embedding_drafts",
  "enrichments",
  "entity_mentions",
]
