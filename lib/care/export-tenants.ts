import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { OwnerDatabase, OwnerSession } from "../database/database.ts"
import { AppError } from "../errors.ts"
import type { ObjectStore } from "../objects/object-store.ts"
import { copyObjects } from "./copy-objects.ts"
import {
  EXPORTED_TABLES,
  type LineFile,
  MANIFEST,
  Manifest,
  manifestHead,
  OBJECTS_FOLDER,
  UNFINISHED,
} from "./export-format.ts"
import { writeLines } from "./line-files.ts"
import { NAMED_KEYS_OF } from "./object-checks.ts"
import { listTenants } from "./tenants.ts"

interface ExportDeps {
  readonly owner: OwnerDatabase
  readonly objects: ObjectStore
}

export interface ExportOptions {
  /** All of them when absent. */
  readonly tenants?: readonly string[] | undefined
  /** Objects are listed with size and digest, and not copied. */
  readonly withoutObjects?: boolean | undefined
  /** Hears of every table and of the objects how many of it are written. */
  readonly onProgress?: (what: string, done: number) => void
  readonly signal?: AbortSignal | undefined
}

/** Rows that stand in memory at once: of vectors of 1,024 dimensions some 2 MB, of chunks less. */
const ROWS_PER_FETCH = 200
/** What an interrupted export leaves beside its mark. */
const NAMED_OBJECTS = "objects-named.ndjson.gz"

/**
 * Writes all that tenants have into a folder: a packed file of lines for each table, all of one moment, and the objects that
 * the rows name. An interrupted export has no manifest; repeated, it writes its tables anew and copies the objects that are
 * missing. Throws `conflict` for a folder that holds something else or a whole export, `not_found` for a tenant without
 * rows, the signal's reason, and what database and store throw.
 */
export async function exportTenants(deps: ExportDeps, folder: string, options: ExportOptions = {}): Promise<Manifest> {
  const tenants = await chosenTenants(deps.owner, options.tenants)
  await claimFolder(folder)
  const { tables, migration } = await deps.owner.session((session) =>
    session.transaction(async () => {
      // The owner's own eyes: row-level security doesn't bind it, and the queries name the tenants.
      await session.query("set transaction isolation level repeatable read, read only")
      return writeTables(session, folder, tenants, options)
    }),
  )
  const { file: _, ...objects } = await copyObjects(deps.objects, folder, join(folder, NAMED_OBJECTS), options)
  const manifest: Manifest = {
    ...manifestHead,
    created_at: new Date().toISOString(),
    migration,
    tenants: [...tenants],
    tables,
    objects: { file: "objects.ndjson.gz", ...objects },
  }
  await rm(join(folder, NAMED_OBJECTS), { force: true })
  await writeWhole(join(folder, MANIFEST), `${JSON.stringify(Manifest.parse(manifest), null, 2)}\n`)
  await rm(join(folder, UNFINISHED), { force: true })
  return manifest
}

async function chosenTenants(owner: OwnerDatabase, wanted: readonly string[] | undefined): Promise<readonly string[]> {
  const known = (await listTenants(owner)).map(({ tenant }) => tenant)
  const missing = (wanted ?? []).filter((tenant) => !known.includes(tenant))
  if (missing.length > 0) throw new AppError("not_found", `There is nothing of ${missing.join(", ")}: see tenants list`)
  const chosen = wanted && wanted.length > 0 ? known.filter((tenant) => wanted.includes(tenant)) : known
  if (chosen.length === 0) throw new AppError("not_found", "There is nothing to export: no tenant has any rows")
  return chosen
}

/** Throws `conflict` for a folder that is somebody's. */
async function claimFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const names = await readdir(folder)
  if (names.includes(MANIFEST))
    throw new AppError("conflict", "The folder holds an export already: choose an empty one")
  if (names.length > 0 && !names.includes(UNFINISHED)) {
    throw new AppError("conflict", "The folder holds other files: choose an empty one")
  }
  await writeWhole(join(folder, UNFINISHED), "This export was not finished. Run it again, or remove the folder.\n")
  await mkdir(join(folder, OBJECTS_FOLDER), { recursive: true })
}

async function writeTables(session: OwnerSession, folder: string, tenants: readonly string[], options: ExportOptions) {
  const tables: Record<string, LineFile> = {}
  for (const [table, query] of Object.entries(EXPORTED_TABLES)) {
    const file = `${table}.ndjson.gz`
    const lines = fetchLines(session, `select line::text as line from (${query}) q`, tenants, table, options)
    tables[table] = { file, ...(await writeLines(join(folder, file), lines)) }
  }
  // Copied after the snapshot is given back: objects take their time, and a long transaction keeps a server from tidying up.
  await writeLines(join(folder, NAMED_OBJECTS), fetchLines(session, NAMED_KEYS_OF, tenants, "keys", options))
  const [row] = await session.query<{ version: string }>(
    "select max(name)::text as version from concordance.schema_migrations",
  )
  return { tables, migration: row?.version ?? "" }
}

async function* fetchLines(
  session: OwnerSession,
  query: string,
  tenants: readonly string[],
  what: string,
  { onProgress, signal }: ExportOptions,
): AsyncGenerator<readonly string[]> {
  await session.query(`declare exported no scroll cursor for ${query}`, [tenants])
  for (let done = 0; ; ) {
    signal?.throwIfAborted()
    const rows = await session.query<{ line: string }>(`fetch ${ROWS_PER_FETCH} from exported`)
    yield rows.map(({ line }) => line)
    done += rows.length
    onProgress?.(what, done)
    if (rows.length < ROWS_PER_FETCH) break
  }
  await session.query("close exported")
}

/** On the disk before it has its name. */
async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(`${path}.part`, "w")
  await file.writeFile(text)
  await file.sync()
  await file.close()
  await rename(`${path}.part`, path)
}

/** Whether a folder holds a whole export. */
export async function isExport(folder: string): Promise<boolean> {
  const found = await stat(join(folder, MANIFEST)).catch(() => null)
  return found?.isFile() === true
}
