import type { SqlValue } from "../../database/database.ts"
import { clauseToJsonpath, memberPath } from "../../search/filter.ts"
import { cannotFilter } from "../filter-clause.ts"
import type { IndexClause, IndexFilter } from "../search-index.ts"
import type { PgTable } from "./pg-table.ts"
import { quoted } from "./pg-table.ts"

/** Parameters of a statement, handed out by number as it is written. */
export interface SqlParameters {
  readonly values: SqlValue[]
  /** Adds a value; gives `$3`. */
  add(value: SqlValue): string
}

export function sqlParameters(): SqlParameters {
  const values: SqlValue[] = []
  return { values, add: (value) => `$${values.push(value)}` }
}

/** Types whose equality with a text, or a whole number, an index of the column answers. */
const TEXT_TYPES = ["text", "varchar"]
const WHOLE_TYPES = ["int2", "int4", "int8"]

/** The filter as a condition, true or false of every row. A field's first key names a column of the table, else one of its metadata. */
export function pgCondition(filter: IndexFilter, table: PgTable, parameters: SqlParameters): string {
  const conditions = filter.map((clause) => `(${conditionOf(clause, table, parameters)})`)
  return conditions.length === 0 ? "true" : conditions.join(" and ")
}

function conditionOf(clause: IndexClause, table: PgTable, parameters: SqlParameters): string {
  const [first, ...rest] = clause.path
  if (first === undefined) return idCondition(clause, table, parameters)
  const type = table.others.get(first)
  if (type !== undefined) return columnCondition(clause, quoted(first), type, rest, parameters)
  if (table.metadata === null) return clause.operator === "exists" && !clause.value ? "true" : "false"
  const path = parameters.add(jsonpathOf(clause, clause.path))
  // As an operator a GIN index can answer it. A row without metadata has none of the fields.
  const holds = `${table.metadata}::jsonb @? ${path}::text::jsonpath`
  return clause.operator === "exists" && !clause.value ? `coalesce(${holds}, true)` : `${holds} is true`
}

function columnCondition(
  clause: IndexClause,
  column: string,
  type: string,
  rest: readonly string[],
  parameters: SqlParameters,
): string {
  if (rest.length === 0) {
    const values: readonly unknown[] =
      clause.operator === "eq" ? [clause.value] : clause.operator === "in" ? clause.value : []
    if (values.length > 0 && TEXT_TYPES.includes(type) && values.every((value) => typeof value === "string"))
      return `coalesce(${column} = any(${parameters.add(values as string[])}::text[]), false)`
    if (values.length > 0 && WHOLE_TYPES.includes(type) && values.every((value) => Number.isSafeInteger(value)))
      return `coalesce(${column} = any(${parameters.add(values as number[])}::bigint[]), false)`
  }
  const path = parameters.add(jsonpathOf(clause, rest))
  return `coalesce(to_jsonb(${column}), 'null'::jsonb) @? ${path}::text::jsonpath`
}

function jsonpathOf(clause: IndexClause, path: readonly string[]): string {
  return `$ ? (${clauseToJsonpath(clause, memberPath(path))})`
}

function idCondition(clause: IndexClause, { id }: PgTable, parameters: SqlParameters): string {
  if (clause.operator !== "eq" && clause.operator !== "in") {
    throw cannotFilter({ engine: "pgvector" }, clause, "ids can be compared by eq and in alone")
  }
  const values = clause.operator === "eq" ? [clause.value] : clause.value
  return `${id}::text = any(${parameters.add(values.filter((value) => typeof value === "string"))}::text[])`
}
