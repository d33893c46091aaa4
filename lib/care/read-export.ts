import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import type { OwnerSession } from "../database/database.ts"
import { AppError } from "../errors.ts"
import { EXPORTED_TABLES, FORMAT_VERSION, LATER_TABLES, MANIFEST, Manifest } from "./export-format.ts"
import { fileDigest, readLines } from "./line-files.ts"

const MANIFEST_BYTES_MAX = 10_000_000

/** The error of an export that can't be restored. */
export function refusedExport(what: string): AppError {
  return new AppError("invalid_request", `This export can't be restored: ${what}`)
}

/**
 * Reads the manifest of an export and holds every one of its files against it. Throws `invalid_request`, which names the file
 * that is missing, changed or of a newer release.
 */
export async function readExport(folder: string, signal?: AbortSignal): Promise<Manifest> {
  const manifest = await readManifest(folder)
  for (const table of Object.keys(EXPORTED_TABLES)) {
    if (!manifest.tables[table] && !LATER_TABLES.has(table))
      throw refusedExport(`its manifest names no file for ${table}`)
  }
  const unknown = Object.keys(manifest.tables).find((table) => !Object.hasOwn(EXPORTED_TABLES, table))
  if (unknown !== undefined) throw newer(`it holds ${unknown}`)
  for (const { file, sha256 } of [...Object.values(manifest.tables), manifest.objects]) {
    signal?.throwIfAborted()
    const path = join(folder, file)
    if (!(await stat(path).catch(() => null))) throw refusedExport(`${file} is missing`)
    if ((await fileDigest(path)) !== sha256) throw refusedExport(`${file} has another checksum than its manifest says`)
  }
  return manifest
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST)
  if ((await stat(path)).size > MANIFEST_BYTES_MAX) throw refusedExport("its manifest is too large")
  let given: unknown
  try {
    given = JSON.parse(await readFile(path, "utf8"))
  } catch {
    throw refusedExport(`${MANIFEST} is no JSON`)
  }
  const version = (given as { version?: unknown } | null)?.version
  if (typeof version === "number" && version > FORMAT_VERSION) throw newer(`its format is version ${version}`)
  const parsed = Manifest.safeParse(given)
  if (parsed.success) return parsed.data
  throw refusedExport(`${MANIFEST} is wrong at ${parsed.error.issues[0]?.path.join(".") ?? "its top"}`)
}

function newer(what: string): AppError {
  return refusedExport(`${what}, and this release reads version ${FORMAT_VERSION}: update Concordance first`)
}

/** A line of a table, as text and what is needed to know of it. */
export interface ExportedRow {
  readonly line: string
  readonly tenant: string
  /** Empty where the table has none. */
  readonly documentId: string
}

/** The lines of a table, or `invalid_request` with the number of the one that is no row of one of the tenants. */
export async function* readRows(folder: string, manifest: Manifest, table: string): AsyncGenerator<ExportedRow> {
  const held = manifest.tables[table]
  if (!held) return
  const { file, rows } = held
  let number = 0
  for await (const line of readLines(join(folder, file))) {
    number++
    const row = parsedRow(line)
    if (!row || !manifest.tenants.includes(row.tenant))
      throw refusedExport(`${file}, line ${number}, is no row of its tenants`)
    yield row
  }
  if (number !== rows) throw refusedExport(`${file} has ${number} lines, its manifest says ${rows}`)
}

function parsedRow(line: string): ExportedRow | null {
  try {
    const row = JSON.parse(line) as Record<string, unknown> | null
    const tenant = row?.["source_account_id"]
    const documentId = row?.["document_id"] ?? ""
    return typeof tenant === "string" && typeof documentId === "string" ? { line, tenant, documentId } : null
  } catch {
    return null
  }
}

/** Columns of the exported tables as this database has them; `invalid_request` where an export's first line has others. */
export async function columnsOf(
  session: OwnerSession,
  folder: string,
  manifest: Manifest,
): Promise<Map<string, string[]>> {
  const columns = new Map<string, string[]>()
  for (const table of Object.keys(EXPORTED_TABLES)) {
    for await (const { line } of readRows(folder, manifest, table)) {
      columns.set(table, Object.keys(JSON.parse(line) as object))
      break
    }
  }
  const rows = await session.query<{ name: string; columns: string[] }>(`
    select c.relname::text as name, array_agg(a.attname::text) as columns from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'concordance'::regnamespace and c.relkind in ('r', 'p') group by 1`)
  for (const { name, columns: known } of rows) {
    const more = name === "embeddings" ? undefined : columns.get(name)?.find((column) => !known.includes(column))
    if (more !== undefined) throw newer(`its ${name} have a column ${more.replace(/\W/g, "?").slice(0, 60)}`)
  }
  return columns
}
