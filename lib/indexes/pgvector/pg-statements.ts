import type { Row } from "../../database/database.ts"
import { vectorToSql } from "../../vector.ts"
import type { DenseQuery, IndexRecord, LexicalQuery, ScoredRecord } from "../search-index.ts"
import type { RunSql } from "./pg-access.ts"
import { pgCondition, sqlParameters } from "./pg-filter.ts"
import { type PgTable, quoted } from "./pg-table.ts"
import { bm25Expression, presenceExpression, type WordQuery } from "./pg-words.ts"

/** Columns that come as one object; PostgreSQL's functions take 100 arguments. A table of more shows its metadata alone. */
const COLUMNS_MAX = 50

/** Rows that BM25 is computed of (.2 ms each), for each that is returned: those whose words weigh most, however often they stand there. */
const SCORED_FOR_EACH = 4

/** The rows nearest to a vector, by the table's index where it has one. */
export async function nearestRows(run: RunSql, table: PgTable, query: DenseQuery): Promise<ScoredRecord[]> {
  await prepareScan(run, table, query)
  const parameters = sqlParameters()
  const vector = `${parameters.add(vectorToSql(query.vector))}::text::${table.vectorType}`
  const distance = `${table.embedding} ${table.operator} ${vector}`
  const condition = pgCondition(query.filter, table, parameters)
  const rows = await run(
    `select ${columnsOf(table, query.withVectors)}, (${distance})::float8 as record_distance from ${table.name} t
      where ${table.vectors} is not null and ${condition} order by ${distance} limit ${Number(query.limit)}`,
    parameters.values,
  )
  return scored(rows, (row) => similarity(table, Number(row["record_distance"])))
}

/** The rows that words find, best first by BM25. */
export async function wordedRows(
  run: RunSql,
  table: PgTable,
  query: LexicalQuery,
  words: WordQuery,
): Promise<ScoredRecord[]> {
  const parameters = sqlParameters()
  const tsvector = `t.${table.tsvector}`
  const bm25 = bm25Expression(tsvector, parameters.add(words.lexemes), parameters.add(words.weights))
  const presence = presenceExpression(tsvector, words, parameters)
  const condition = pgCondition(query.filter, table, parameters)
  const rows = await run(
    `select ${columnsOf(table, query.withVectors)}, ${bm25} as record_score
       from (select * from ${table.name} t
              where ${tsvector} @@ ${parameters.add(words.matching)}::text::tsquery and ${table.vectors} is not null and ${condition}
              order by ${presence} desc, ${table.id} limit ${Number(query.limit) * SCORED_FOR_EACH}) t
      order by record_score desc, ${table.id} limit ${Number(query.limit)}`,
    parameters.values,
  )
  return scored(rows, (row) => Number(row["record_score"]))
}

/** The rows of these ids. */
export async function rowsOf(run: RunSql, table: PgTable, ids: readonly string[]): Promise<IndexRecord[]> {
  const { idType, id } = table
  const form = ID_FORMS[idType]
  const possible = form ? ids.filter((text) => form.test(text)) : ids
  if (possible.length === 0) return []
  // As text only where it must be: that no index of the column answers.
  const isIndexed = form !== undefined || idType === "text" || idType === "varchar"
  const condition = isIndexed ? `t.${id} = any($1::text[]::${idType}[])` : `t.${id}::text = any($1::text[])`
  const rows = await run(`select ${columnsOf(table, false)} from ${table.name} t where ${condition}`, [possible])
  return rows.map(toRecord)
}

/** Some rows with their vectors. */
export async function someRows(run: RunSql, table: PgTable, count: number): Promise<IndexRecord[]> {
  const text = `select ${columnsOf(table, true)} from ${table.name} t where ${table.vectors} is not null limit ${Number(count)}`
  return (await run(text)).map(toRecord)
}

/** What an id must look like to be of the type: PostgreSQL refuses the statement for one that doesn't. */
const ID_FORMS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  int2: /^-?\d{1,4}$/,
  int4: /^-?\d{1,9}$/,
  int8: /^-?\d{1,18}$/,
}

/** A list's columns. Those of the table that are neither id, text nor vector come as one object. */
function columnsOf(table: PgTable, withVector: boolean): string {
  const others = [...table.others.keys()].map((column) => `'${column.replaceAll("'", "''")}', t.${quoted(column)}`)
  const isShown = others.length > 0 && others.length <= COLUMNS_MAX
  return [
    `t.${table.id}::text as record_id`,
    `t.${table.content}::text as record_text`,
    `${table.metadata === null ? "null" : `t.${table.metadata}`}::jsonb as record_metadata`,
    `${isShown ? `jsonb_build_object(${others.join(", ")})` : "null::jsonb"} as record_columns`,
    `${withVector ? `t.${table.vectors}` : "null"}::text as record_vector`,
  ].join(", ")
}

function toRecord(row: Row): IndexRecord {
  const {
    record_id: id,
    record_text: text,
    record_metadata: metadata,
    record_columns: columns,
    record_vector: vector,
  } = row
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)
  return {
    id: String(id),
    text: typeof text === "string" ? text : null,
    payload: { ...(isObject && metadata), ...(columns as object | null) },
    vector: typeof vector === "string" ? Float32Array.from(JSON.parse(vector) as number[]) : null,
  }
}

function scored(rows: readonly Row[], scoreOf: (row: Row) => number): ScoredRecord[] {
  return rows
    .map((row) => ({ ...toRecord(row), score: scoreOf(row) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

/** Of unit vectors, where the operator is another than cosine distance. */
function similarity({ operator }: PgTable, distance: number): number {
  if (operator === "<#>") return -distance
  return operator === "<=>" ? 1 - distance : 1 - distance ** 2 / 2
}

/** An index scan returns no more than it looks at, and a filter takes its rows away after that. */
async function prepareScan(
  run: RunSql,
  { version: [major, minor] }: PgTable,
  { limit, filter }: DenseQuery,
): Promise<void> {
  const looked = String(Math.min(1_000, Math.max(100, limit)))
  await run("select set_config('hnsw.ef_search', $1::text, true), set_config('ivfflat.probes', '20', true)", [looked])
  if (filter.length === 0 || (major === 0 && minor < 8)) return
  await run(
    "select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('ivfflat.iterative_scan', 'relaxed_order', true)",
  )
}
