import type { Database, OwnerDatabase, OwnerSession } from "../database/database.ts"
import { deletion } from "../documents/documents.ts"
import { AppError } from "../errors.ts"
import type { ObjectStore } from "../objects/object-store.ts"
import type { Manifest } from "./export-format.ts"
import { type Moves, tenantSegment } from "./moved-keys.ts"
import { readExport, readRows } from "./read-export.ts"
import { checkObjects, type RestoredObjects, restoreObjects } from "./restore-objects.ts"
import { enter, type RestorePlan, restoreRows } from "./restore-rows.ts"

interface RestoreDeps {
  readonly database: Database
  readonly owner: OwnerDatabase
  readonly objects: ObjectStore
  /** Removes objects that a document's earlier versions left. */
  cleanUp(tenant: string, documentId: string): Promise<void>
}

export interface RestoreOptions {
  /** Tenants to restore, by their names in the export, and their names here. All, under their own names, when absent. */
  readonly tenants?: ReadonlyMap<string, string> | undefined
  /** Replaces documents that are there under the same ids. */
  readonly replace?: boolean | undefined
  readonly onProgress?: (what: string, done: number) => void
  readonly signal?: AbortSignal | undefined
}

/** What was restored. */
export interface Restored {
  readonly tenants: number
  readonly documents: number
  readonly chunks: number
  readonly embeddings: number
  readonly objects: number
  readonly objectsMissing: number
  readonly replaced: number
}

/** Deletes that make room are no news: the document is there again when the transaction ends (queue_webhooks). */
const UNTOLD = "select set_config('app.webhooks', 'off', true)"
/** Documents that are looked up by one statement. */
const IDS_PER_LOOK = 1_000
const IDS_NAMED = 5

/** A document that is here under an id of the export. */
interface Occupied {
  readonly id: string
  readonly generation: number
  readonly isLive: boolean
}

/** What one tenant's part of the export meets here. */
interface Tenancy {
  readonly moves: Moves
  readonly occupied: readonly Occupied[]
}

/**
 * Restores an export: rows of all of its tenants in one transaction, its objects before. Every file is held against the
 * manifest first. Throws `invalid_request` for an export that isn't whole or is of a newer release, `conflict` where a
 * document is there and `replace` is not set, and what database and store throw; then nothing has changed but for objects
 * that no row names, which a sweep removes.
 */
export async function restoreExport(
  deps: RestoreDeps,
  folder: string,
  options: RestoreOptions = {},
): Promise<Restored> {
  const manifest = await readExport(folder, options.signal)
  const tenancies: Tenancy[] = []
  for (const [from, to] of chosen(manifest, options.tenants)) {
    tenancies.push(await meet(deps.database, folder, manifest, from, to))
  }
  const live = tenancies.flatMap(({ occupied }) => occupied.filter(({ isLive }) => isLive))
  if (live.length > 0 && options.replace !== true) throw occupiedError(live)
  const moves = new Map(
    [...chosen(manifest, options.tenants).keys()].map((from, i) => [from, (tenancies[i] as Tenancy).moves]),
  )
  const plan: RestorePlan = { folder, manifest, moves, onProgress: options.onProgress, signal: options.signal }
  await checkObjects(plan)
  const added: string[] = []
  const { objects, counts } = await restoreAll(deps, plan, tenancies, added).catch(async (error: unknown) => {
    // Nothing names them. Where this fails too, a sweep removes them.
    await deps.objects.delete(added).catch(() => undefined)
    throw error
  })
  for (const { moves: to, occupied } of tenancies) {
    for (const { id, isLive } of occupied) if (isLive) await deps.cleanUp(to.tenant, id)
  }
  return {
    tenants: tenancies.length,
    documents: tenancies.reduce((sum, each) => sum + each.moves.documentIds.length, 0),
    chunks: counts["chunks"] ?? 0,
    embeddings: counts["embeddings"] ?? 0,
    objects: objects.stored,
    objectsMissing: objects.missing,
    replaced: live.length,
  }
}

async function restoreAll(deps: RestoreDeps, plan: RestorePlan, tenancies: readonly Tenancy[], added: string[]) {
  const objects = await restoreObjects(deps, plan, added)
  const counts = await deps.owner.session((session) =>
    session.transaction(async () => {
      await session.query(UNTOLD)
      for (const tenancy of tenancies) await makeRoom(session, tenancy)
      const written = await restoreRows(session, plan)
      await settleObjects(session, tenancies, objects)
      return written
    }),
  )
  return { objects, counts }
}

function chosen(manifest: Manifest, wanted: ReadonlyMap<string, string> | undefined): ReadonlyMap<string, string> {
  const map = wanted && wanted.size > 0 ? wanted : new Map(manifest.tenants.map((tenant) => [tenant, tenant]))
  const missing = [...map.keys()].filter((tenant) => !manifest.tenants.includes(tenant))
  if (missing.length > 0)
    throw new AppError(
      "not_found",
      `The export holds nothing of ${missing.join(", ")}: it has ${manifest.tenants.join(", ")}`,
    )
  const names = [...map.values()]
  if (new Set(names).size < names.length)
    throw new AppError("invalid_request", "Two tenants of the export can't become one")
  return map
}

function occupiedError(live: readonly Occupied[]): AppError {
  const names = live.slice(0, IDS_NAMED).map(({ id }) => id)
  const more = live.length > IDS_NAMED ? ` and ${live.length - IDS_NAMED} more` : ""
  return new AppError(
    "conflict",
    `These documents are there already: ${names.join(", ")}${more}. Use --replace, or --tenant old=new`,
  )
}

/** What is there of a tenant under the ids of the export. */
async function meet(
  database: Database,
  folder: string,
  manifest: Manifest,
  from: string,
  tenant: string,
): Promise<Tenancy> {
  const documentIds: string[] = []
  for await (const { line, tenant: whose } of readRows(folder, manifest, "documents")) {
    if (whose !== from) continue
    const { id, status } = JSON.parse(line) as { readonly id: string; readonly status: string }
    if (status !== "deleted") documentIds.push(id)
  }
  const occupied: Occupied[] = []
  for (let i = 0; i < documentIds.length; i += IDS_PER_LOOK) {
    const text =
      "select id, generation::float8 as generation, status <> 'deleted' as live from documents where id = any($1::text[])"
    const [rows = []] = await database.batch({ tenant }, [{ text, values: [documentIds.slice(i, i + IDS_PER_LOOK)] }])
    for (const { id, generation, live } of rows) {
      occupied.push({ id: String(id), generation: Number(generation), isLive: live === true })
    }
  }
  // A deletion raises it once more.
  const deltas = new Map(occupied.map(({ id, generation, isLive }) => [id, generation + (isLive ? 1 : 0)]))
  return {
    occupied,
    moves: { tenant, oldSegment: tenantSegment(from), segment: tenantSegment(tenant), deltas, documentIds },
  }
}

/** Deletes what is to be replaced. Throws `conflict` where it changed since it was looked up. */
async function makeRoom(session: OwnerSession, { moves, occupied }: Tenancy): Promise<void> {
  await enter(session, moves.tenant)
  for (const { id, generation, isLive } of occupied) {
    const [row] = await session.query("select 1 from documents where id = $1 and generation = $2 for update", [
      id,
      generation,
    ])
    if (!row) throw new AppError("conflict", "A document that is to be replaced has changed meanwhile. Import again")
    if (!isLive) continue
    for (const { text, values = [] } of deletion(id)) await session.query(text, values)
  }
}

/** The rows are there: what kept their objects until now goes. */
async function settleObjects(
  session: OwnerSession,
  tenancies: readonly Tenancy[],
  { versions }: RestoredObjects,
): Promise<void> {
  for (const { moves } of tenancies) {
    await enter(session, moves.tenant)
    await session.query(
      "delete from uploads where document_id = any($1::text[]) and not starts_with(key, 'uploads/') and expires_at > now()",
      [moves.documentIds],
    )
  }
  for (const [tenant, uploads] of versions) {
    await enter(session, tenant)
    await session.query(
      `update ingest_jobs j set upload_version = r.version
         from jsonb_to_recordset($1::text::jsonb) as r(key text, version text) where j.upload_key = r.key`,
      [JSON.stringify(uploads)],
    )
  }
}
