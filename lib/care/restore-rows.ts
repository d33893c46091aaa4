import type { OwnerSession } from "../database/database.ts"
import { scopeStatement } from "../database/scope.ts"
import { StatementError } from "../database/statement-error.ts"
import { refreshEntities } from "../documents/entity-mentions.ts"
import { DERIVED_TABLES, EXPORTED_TABLES, type Manifest } from "./export-format.ts"
import type { Moves } from "./moved-keys.ts"
import { columnsOf, type ExportedRow, readRows, refusedExport } from "./read-export.ts"

/** Lines written by one statement. */
const ROWS_PER_STATEMENT = 500
/** And their characters, at most: a line of a large table of a document may have megabytes. */
const CHARS_PER_STATEMENT = 8_000_000

/** `$4` is the tenant's folder in keys as it was, `$5` as it is; pictures of pages stand under the generation of their document. */
const movedKey = (column: string) => `
  case when split_part(r.${column}, '/', 2) <> $4 then r.${column}
       when starts_with(r.${column}, 'pages/') then
         'pages/' || $5 || '/' || split_part(r.${column}, '/', 3) || '/'
         || (split_part(r.${column}, '/', 4)::bigint + coalesce(m.delta, 0)) || '/' || split_part(r.${column}, '/', 5)
       else regexp_replace(r.${column}, '^([^/]+)/[^/]+/', '\\1/' || $5 || '/') end`

/** What of a row is another one here. */
const CHANGED: Readonly<Record<string, string>> = {
  source_account_id: "$1::text",
  generation: "r.generation + coalesce(m.delta, 0)",
  image_key: movedKey("image_key"),
  upload_key: movedKey("upload_key"),
}

// A document that is there under the id was deleted before, in this transaction; what remains is its tombstone.
const KEEP_NUMBERS = "last_chunk = greatest(t.last_chunk, excluded.last_chunk)"

const INSERT_VECTORS = `
  insert into embeddings (source_account_id, chunk_key, space_id, embedding)
  select $1, c.key, s.id, r.embedding::halfvec
    from jsonb_to_recordset($2::text::jsonb) as r(document_id text, chunk_id text, model text, embedding text)
    join chunks c on c.document_id = r.document_id and c.id = r.chunk_id
    join embedding_spaces s on s.model = r.model
  returning 1`

const OTHER_DIMENSIONS = `
  select 1 from jsonb_to_recordset($1::text::jsonb) as r(model text, dimensions int)
    join embedding_spaces s on s.model = r.model and s.dimensions <> r.dimensions`

function insertion(table: string, columns: readonly string[]): string {
  const target = columns.map((column) => `"${column}"`).join(", ")
  const expressions = columns.map((column) => {
    if (table === "upload_keys" && column === "key") return movedKey("key")
    return CHANGED[column] ?? `r."${column}"`
  })
  const moved = table === "documents" ? "r.id" : columns.includes("document_id") ? "r.document_id" : "null::text"
  return `
    insert into ${table} as t (${target})
    select ${expressions.join(", ")}
      from jsonb_populate_recordset(null::${table}, $2::text::jsonb) r
      left join jsonb_to_recordset($3::text::jsonb) as m(id text, delta bigint) on m.id = ${moved}
     where $4::text is not null and $5::text is not null`
}

/** Statements that write the lines of a table. */
function statementsOf(table: string, columns: readonly string[]): readonly string[] {
  const insert = insertion(table, columns)
  if (table === "documents") {
    const all = columns.filter((column) => !["source_account_id", "id", "last_chunk"].includes(column))
    const set = all.map((column) => `"${column}" = excluded."${column}"`).join(", ")
    return [
      // Of what was deleted there, only the numbers that are taken matter here.
      `${insert} and r.status = 'deleted' on conflict (source_account_id, id) do update set ${KEEP_NUMBERS}`,
      `${insert} and r.status <> 'deleted' on conflict (source_account_id, id) do update set ${set}, ${KEEP_NUMBERS}`,
    ]
  }
  if (table === "upload_keys")
    return [
      `${insert} on conflict (source_account_id, key) do update set announced = t.announced or excluded.announced`,
    ]
  if (table === "embedding_spaces") return [`${insert} on conflict (source_account_id, model) do nothing`]
  // What the tenant was tuned to here was learnt of what it has here.
  if (table === "search_tunings") return [`${insert} on conflict (source_account_id) do nothing`]
  // Restored before, or never gone.
  if (table === "search_feedback") return [`${insert} on conflict (source_account_id, id) do nothing`]
  return [insert]
}

/** Where the rows of an export go. */
export interface RestorePlan {
  readonly folder: string
  readonly manifest: Manifest
  /** By the tenant's name in the export; of others nothing is restored. */
  readonly moves: ReadonlyMap<string, Moves>
  readonly onProgress?: ((what: string, done: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Writes all rows of an export inside the caller's transaction, each tenant's under its own name and, but for its spaces, behind its own walls;
 * lexemes, weights and counts come by the triggers of their tables. Throws `invalid_request` for a line that can't be stored.
 */
export async function restoreRows(session: OwnerSession, plan: RestorePlan): Promise<Record<string, number>> {
  const columns = await columnsOf(session, plan.folder, plan.manifest)
  const counts: Record<string, number> = {}
  for (const table of Object.keys(EXPORTED_TABLES)) {
    if (DERIVED_TABLES.has(table)) continue
    counts[table] = 0
    for await (const rows of batches(plan, table)) {
      plan.signal?.throwIfAborted()
      const moves = plan.moves.get(rows[0]?.tenant ?? "")
      if (!moves) continue
      await writeRows(session, table, columns.get(table) ?? [], rows, moves)
      counts[table] += rows.length
      plan.onProgress?.(table, counts[table])
    }
  }
  for (const { tenant, documentIds } of plan.moves.values()) {
    await enter(session, tenant)
    if (documentIds.length > 0) await refreshEntities(session, tenant, documentIds)
  }
  return counts
}

/** From here on, until the transaction ends or another tenant is entered, the session sees and writes this one's rows alone. */
export async function enter(session: OwnerSession, tenant: string): Promise<void> {
  const { text, values } = scopeStatement({ tenant })
  await session.query(text, values)
}

/** Tables that the service may not write. */
const OWNERS_TABLES: ReadonlySet<string> = new Set(["embedding_spaces", "search_tunings"])

/** From here on it is the owner again, who alone may say how a space's model is opened: processes call the URLs that stand there. */
async function leave(session: OwnerSession): Promise<void> {
  await session.query("select set_config('role', 'none', true)")
}

async function writeRows(
  session: OwnerSession,
  table: string,
  columns: readonly string[],
  rows: readonly ExportedRow[],
  moves: Moves,
): Promise<void> {
  const { tenant, deltas, segment, oldSegment } = moves
  await (OWNERS_TABLES.has(table) ? leave(session) : enter(session, tenant))
  const json = `[${rows.map(({ line }) => line).join(",")}]`
  try {
    if (table === "embeddings") {
      const written = await session.query(INSERT_VECTORS, [tenant, json])
      if (written.length !== rows.length)
        throw refusedExport("a line of embeddings.ndjson.gz belongs to no chunk or space")
      return
    }
    const ids = new Set(
      rows.map(({ documentId, line }) =>
        table === "documents" ? String((JSON.parse(line) as { id: unknown }).id) : documentId,
      ),
    )
    const moved = [...ids].flatMap((id) => (deltas.has(id) ? [{ id, delta: deltas.get(id) }] : []))
    for (const text of statementsOf(table, columns)) {
      await session.query(text, [tenant, json, JSON.stringify(moved), oldSegment, segment])
    }
    if (table !== "embedding_spaces") return
    await enter(session, tenant)
    const others = await session.query(OTHER_DIMENSIONS, [json])
    if (others.length > 0) throw refusedExport("the tenant has vectors of the same model with other dimensions")
  } catch (error) {
    // Classes 22 and 23: what a line says, or what it belongs to, doesn't fit.
    if (!(error instanceof StatementError) || !/^2[23]/.test(error.sqlState)) throw error
    throw refusedExport(`a line of ${table}.ndjson.gz doesn't fit (SQLSTATE ${error.sqlState})`)
  }
}

/** The lines of a table, those of one tenant that stand together at once. */
async function* batches({ folder, manifest }: RestorePlan, table: string): AsyncGenerator<readonly ExportedRow[]> {
  let batch: ExportedRow[] = []
  let chars = 0
  for await (const row of readRows(folder, manifest, table)) {
    const isFull = batch.length === ROWS_PER_STATEMENT || chars > CHARS_PER_STATEMENT
    if (batch.length > 0 && (isFull || batch[0]?.tenant !== row.tenant)) {
      yield batch
      batch = []
      chars = 0
    }
    batch.push(row)
    chars += row.line.length
  }
  if (batch.length > 0) yield batch
}
