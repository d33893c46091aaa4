import { underMigrationLock } from "../database/advisory-lock.ts"
import type { Database, OwnerDatabase, OwnerSession } from "../database/database.ts"
import { StatementError } from "../database/statement-error.ts"
import { deadlineIn } from "../deadline.ts"
import { AppError } from "../errors.ts"
import { TenantId } from "../shapes.ts"
import type { IndexDocuments } from "./index-documents.ts"
import { IndexRequest } from "./index-request.ts"

/** What the upgrade did, all starts together. */
export interface PluginUpgrade {
  readonly copied: number
  /** Rows that cannot be documents here; `concordance.plugin_rows_left` says which, and why. */
  readonly left: number
}

interface UpgradeDependencies {
  readonly database: Database
  readonly owner: OwnerDatabase
  readonly index: IndexDocuments
  /** Rows a batch: what a kill makes the next start look at again. 100 by default. */
  readonly batchRows?: number
  /** Called after each batch with the number of rows copied so far. */
  readonly onProgress?: (copied: number) => void
}

/** One step of the owner's; between two of them the embedded database is free for `index`. */
type Step = <T>(work: (session: OwnerSession) => Promise<T>) => Promise<T>

interface PluginRow extends Record<string, unknown> {
  readonly source_account_id: string
  readonly id: string
  readonly title: string
  readonly content: string
  readonly embedding: string | null
  readonly present: boolean
}

interface LeftRow {
  readonly tenant: string
  readonly id: string
  readonly reason: string
}

/** How long one batch may take to index, ms: documents without a vector are embedded here. */
const BATCH_DEADLINE_MS = 600_000

/**
 * Takes over the tables of the plugin that Concordance replaces, at every start, right after `migrate`: renames
 * `np_retrieval_documents` and `np_retrieval_embeddings` to `…_v0`, indexes their rows batch by batch like any other
 * document (with its vector where it has one), and puts views in their places. A start that was killed is resumed by the
 * next; a document that is here already is not written again, so nothing is copied twice and nothing newer is lost. The
 * old tables are kept.
 *
 * @returns undefined where there is nothing to take over
 * @throws AppError `invalid_configuration` when the tables belong to somebody else; what `index` fails with, unless the
 *   row itself is at fault
 */
export async function upgradePluginTables(dependencies: UpgradeDependencies): Promise<PluginUpgrade | undefined> {
  const { database, owner } = dependencies
  // The embedded database belongs to this process alone and runs one unit at a time: nothing to lock, and the owner's
  // session must end before `index` can begin. On a server one session holds the lock throughout.
  if (database.driver === "pglite") return upgrade(dependencies, (work) => owner.session(work))
  return owner.session((session) => underMigrationLock(session, () => upgrade(dependencies, (work) => work(session))))
}

async function upgrade(dependencies: UpgradeDependencies, step: Step): Promise<PluginUpgrade | undefined> {
  if (!(await step(takeOverTables))) return undefined
  const { batchRows = 100, onProgress } = dependencies
  for (;;) {
    const rows = await step((session) => readBatch(session, batchRows))
    if (rows.length === 0) break
    const left = await indexRows(dependencies.index, rows)
    const copied = await step((session) => session.transaction(() => recordBatch(session, rows, left)))
    onProgress?.(copied)
  }
  return step((session) => session.transaction(() => finish(session)))
}

/** Renames the tables if they still have their names. True while there is something to copy. */
async function takeOverTables(session: OwnerSession): Promise<boolean> {
  const [state] = await session.query<{ tables: boolean; unfinished: boolean }>(`
    select exists (select from pg_class where oid = to_regclass('public.np_retrieval_documents') and relkind in ('r', 'p')) as tables,
           exists (select from concordance.plugin_upgrade where finished_at is null) as unfinished`)
  if (state?.tables) {
    await session
      .transaction(() => session.script(RENAME))
      .catch((error: unknown) => {
        throw error instanceof StatementError && error.sqlState === "42501" ? notOwned(error) : error
      })
  }
  return Boolean(state?.tables || state?.unfinished)
}

const RENAME = `
  alter table public.np_retrieval_documents rename to np_retrieval_documents_v0;
  alter table if exists public.np_retrieval_embeddings rename to np_retrieval_embeddings_v0;
  insert into concordance.plugin_upgrade default values;`

function notOwned(cause: StatementError): AppError {
  const message =
    "The plugin's tables public.np_retrieval_documents and public.np_retrieval_embeddings cannot be renamed: they belong " +
    "to another role. Make the role of MIGRATION_DATABASE_URL their owner, and give it CREATE on schema public."
  return new AppError("invalid_configuration", message, { cause })
}

/** The rows after the last one that is recorded, in the order of the plugin's primary key. */
async function readBatch(session: OwnerSession, batchRows: number): Promise<PluginRow[]> {
  const [embeddings] = await session.query<{ exist: boolean }>(
    "select to_regclass('public.np_retrieval_embeddings_v0') is not null as exist",
  )
  const vector = embeddings?.exist
    ? "(select e.embedding::text from public.np_retrieval_embeddings_v0 e where e.document_id = v.id and e.source_account_id = v.source_account_id)"
    : "null::text"
  const [at] = await session.query<{ id: string | null; tenant: string | null }>(
    "select last_id as id, last_source_account_id as tenant from concordance.plugin_upgrade",
  )
  const after = at?.id ? "(v.id, v.source_account_id) > ($2, $3)" : "($2 || $3) is null"
  return session.query<PluginRow>(
    `select v.source_account_id, v.id, coalesce(v.title, '') as title, v.content, ${vector} as embedding,
            exists (select from concordance.documents d where d.source_account_id = v.source_account_id and d.id = v.id collate "C") as present
       from public.np_retrieval_documents_v0 v
      where ${after}
      order by v.id, v.source_account_id
      limit $1`,
    [batchRows, at?.id ?? null, at?.tenant ?? null],
  )
}

/** Indexes the rows that are not here yet, and gives back those that can't be. */
async function indexRows(index: IndexDocuments, rows: readonly PluginRow[]): Promise<LeftRow[]> {
  const left: LeftRow[] = []
  const byTenant = new Map<string, IndexRequest[]>()
  for (const row of rows.filter(({ present }) => !present)) {
    const tenant = TenantId.safeParse(row.source_account_id)
    const request = IndexRequest.safeParse({
      id: row.id,
      title: row.title,
      content: row.content,
      ...(row.embedding !== null && { embedding: JSON.parse(row.embedding) }),
    })
    if (tenant.success && request.success) {
      byTenant.set(tenant.data, [...(byTenant.get(tenant.data) ?? []), request.data])
    } else {
      const issue = (tenant.error ?? request.error)?.issues[0]
      left.push({ tenant: row.source_account_id, id: row.id, reason: `${issue?.path.join(".")}: ${issue?.message}` })
    }
  }
  for (const [tenant, requests] of byTenant) {
    for (const outcome of await index(tenant, requests, deadlineIn(BATCH_DEADLINE_MS))) {
      if (!("failed" in outcome)) continue
      // A database or model that is away is no fault of the row: the next start goes on from here.
      if (!["invalid_request", "payload_too_large"].includes(outcome.failed.code)) throw outcome.failed
      left.push({ tenant, id: outcome.id, reason: outcome.failed.message })
    }
  }
  return left
}

async function recordBatch(
  session: OwnerSession,
  rows: readonly PluginRow[],
  left: readonly LeftRow[],
): Promise<number> {
  // Copied documents are as old as they were. One that was written again since keeps its own time.
  await session.query(
    `update concordance.documents d
        set created_at = v.created_at, updated_at = case when d.generation = 1 then v.updated_at else d.updated_at end
       from public.np_retrieval_documents_v0 v, unnest($1::text[], $2::text[]) as batch (tenant, id)
      where v.source_account_id = batch.tenant and v.id = batch.id
        and d.source_account_id = batch.tenant and d.id = batch.id collate "C"`,
    [rows.map((row) => row.source_account_id), rows.map(({ id }) => id)],
  )
  await session.query(
    `insert into concordance.plugin_rows_left (source_account_id, id, reason)
     select * from unnest($1::text[], $2::text[], $3::text[]) on conflict do nothing`,
    [left.map(({ tenant }) => tenant), left.map(({ id }) => id), left.map(({ reason }) => reason)],
  )
  const last = rows.at(-1)
  const [progress] = await session.query<{ copied: number }>(
    `update concordance.plugin_upgrade set last_source_account_id = $1, last_id = $2, copied = copied + $3
     returning copied::float8 as copied`,
    [last?.source_account_id ?? null, last?.id ?? null, rows.length - left.length],
  )
  return progress?.copied ?? 0
}

async function finish(session: OwnerSession): Promise<PluginUpgrade> {
  await session.query("select concordance.serve_plugin_views()")
  const [done] = await session.query<{ copied: number; left: number }>(
    `update concordance.plugin_upgrade set finished_at = now()
     returning copied::float8 as copied, (select count(*)::float8 from concordance.plugin_rows_left) as left`,
  )
  return { copied: done?.copied ?? 0, left: done?.left ?? 0 }
}
