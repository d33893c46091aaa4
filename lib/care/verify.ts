import { readdir, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import type { Database, OwnerDatabase } from "../database/database.ts"
import { deletion } from "../documents/documents.ts"
import { createEntities } from "../documents/entities.ts"
import { createCleanUp, findOrphans } from "../documents/ingest/clean-up.ts"
import type { Log } from "../log.ts"
import type { ObjectStore } from "../objects/object-store.ts"
import { countObjectsOfNobody, findMissingObjects } from "./object-checks.ts"
import { type Problem, problemOf } from "./problem.ts"
import { ROW_CHECKS, type RowCheck } from "./row-checks.ts"
import { listTenants } from "./tenants.ts"

/** What `verify` looks at. */
export interface VerifyDeps {
  readonly database: Database
  readonly owner: OwnerDatabase
  readonly objects: ObjectStore
  readonly log: Log
  /** Where files lie while they are received and read; not looked at when absent. */
  readonly tempFolder?: string | undefined
}

export interface VerifyOptions {
  /** Of these tenants alone. All of them, and what is nobody's, when absent. */
  readonly tenants?: readonly string[] | undefined
  /** Mends what can be. */
  readonly repair?: boolean | undefined
  /** What looks unfinished for less than this may be work under way, ms; ten minutes when absent. */
  readonly olderThanMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Verified {
  /** By tenant, in order of name; empty: everything adds up. */
  readonly problems: readonly Problem[]
  readonly tenants: number
}

/** Longer than any lease (60 s) and any single upload of a picture. */
const OLDER_THAN_MS = 10 * 60_000
/** No request takes as long: `tmp` files of before were left by a process that ended. */
const TEMPORARY_MS = 24 * 60 * 60_000
/** A look reads every row of a tenant. */
const LONG = { timeoutMs: 6 * 60 * 60_000 }
/** Documents mended by one round of a repair that goes document by document. */
const IDS_PER_ROUND = 1_000

/**
 * Holds rows, objects and counts together. It reads every row and lists every object, changes nothing without `repair`, and
 * is safe while the service runs: what a job under way stores, and what is in the middle of being done, is no problem.
 * Throws what the database and the store throw, and the signal's reason.
 */
export async function verify(deps: VerifyDeps, options: VerifyOptions = {}): Promise<Verified> {
  const known = (await listTenants(deps.owner)).map(({ tenant }) => tenant)
  const tenants = options.tenants ?? known
  const problems: Problem[] = []
  for (const tenant of tenants) {
    for (const check of ROW_CHECKS) {
      options.signal?.throwIfAborted()
      const problem = await checkRows(deps, tenant, check, options)
      if (problem) problems.push(problem)
    }
    problems.push(...(await checkObjects(deps, tenant, options)))
  }
  if (!options.tenants) {
    const strangers = await countObjectsOfNobody(deps.objects, known)
    if (strangers > 0) problems.push(problemOf("object_of_nobody", "", strangers))
    problems.push(...(await checkTemporary(deps.tempFolder, options.repair === true)))
  }
  return { problems, tenants: tenants.length }
}

async function checkRows(
  deps: VerifyDeps,
  tenant: string,
  check: RowCheck,
  { repair = false, olderThanMs = OLDER_THAN_MS }: VerifyOptions,
): Promise<Problem | null> {
  const values = check.hasAge ? [olderThanMs] : []
  const text = `
    select coalesce(sum(count), 0)::float8 as count, (array_agg(id order by id) filter (where id is not null))[1:20] as ids
      from (${check.find}) found`
  const [[row] = []] = await deps.database.batch({ tenant }, [{ text, values }], LONG)
  const count = Number(row?.["count"])
  if (count === 0) return null
  const problem = problemOf(check.kind, tenant, count, (row?.["ids"] as string[] | null) ?? [])
  return repair ? { ...problem, repaired: await repairRows(deps, tenant, check, values) } : problem
}

/** Whether nothing of it is left. */
async function repairRows(deps: VerifyDeps, tenant: string, check: RowCheck, values: number[]): Promise<boolean> {
  const { database } = deps
  if (check.repair) {
    await database.batch(
      { tenant },
      check.repair.map((text) => ({ text, values })),
      LONG,
    )
  } else if (check.kind === "entities") await createEntities(database).rebuild(tenant, LONG)
  else if (check.kind === "tombstone" || check.kind === "leftovers") {
    const cleanUp = createCleanUp(deps)
    const text = `select id from (${check.find}) found order by id limit ${IDS_PER_ROUND}`
    for (let before = ""; ; ) {
      const [rows = []] = await database.batch({ tenant }, [{ text, values }], LONG)
      const ids = rows.map(({ id }) => String(id))
      // The same ones again: they can't be mended now.
      if (ids.length === 0 || ids.join("\n") === before) break
      before = ids.join("\n")
      for (const id of ids) {
        if (check.kind === "tombstone") await database.batch({ tenant }, deletion(id))
        await cleanUp(tenant, id)
      }
    }
  } else return false
  const [rows = []] = await database.batch({ tenant }, [{ text: check.find, values }], LONG)
  return rows.length === 0
}

async function checkObjects(deps: VerifyDeps, tenant: string, options: VerifyOptions): Promise<readonly Problem[]> {
  const problems: Problem[] = []
  const missing = await findMissingObjects(deps, tenant)
  if (missing.length > 0) {
    const ids = [...new Set(missing.map(({ documentId }) => documentId))].sort()
    problems.push(problemOf("object_missing", tenant, missing.length, ids))
  }
  let orphans = 0
  for await (const keys of findOrphans(deps, tenant, null, options.signal)) {
    orphans += keys.length
    if (options.repair) await deps.objects.delete(keys)
  }
  if (orphans > 0) {
    problems.push({ ...problemOf("object_orphan", tenant, orphans), repaired: options.repair === true })
  }
  return problems
}

async function checkTemporary(folder: string | undefined, repair: boolean): Promise<readonly Problem[]> {
  if (folder === undefined) return []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  let count = 0
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const found = await stat(path).catch(() => null)
    if (!found || Date.now() - found.mtimeMs < TEMPORARY_MS) continue
    count++
    if (repair) await unlink(path).catch(() => undefined)
  }
  return count > 0 ? [{ ...problemOf("temporary_file", "", count), repaired: repair }] : []
}
