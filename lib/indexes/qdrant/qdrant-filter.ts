import type { FilterValue } from "../../search/filter.ts"
import { cannotFilter } from "../filter-clause.ts"
import type { IndexClause, IndexFilter } from "../search-index.ts"
import { pointId, type QdrantId } from "./qdrant-records.ts"

const ENGINE = { engine: "qdrant" } as const

/** Keys of a path that may be lists: two variants each. */
const DEPTH_MAX = 4

type Condition = object

/** The filter as Qdrant takes it; undefined asks for nothing. */
export function qdrantFilter(filter: IndexFilter): { readonly must: readonly Condition[] } | undefined {
  return filter.length === 0 ? undefined : { must: filter.map(conditionOf) }
}

function conditionOf(clause: IndexClause): Condition {
  if (clause.path.length === 0) return { has_id: idsOf(clause) }
  switch (clause.operator) {
    case "exists":
      throw cannotFilter(ENGINE, clause, "Qdrant can't tell a field that isn't there from an empty list")
    case "eq":
      return anyOf(keysOf(clause).flatMap((key) => equals(key, [clause.value])))
    case "in":
      return anyOf(keysOf(clause).flatMap((key) => equals(key, clause.value)))
    default: {
      const { value, operator } = clause
      if (typeof value !== "number") throw cannotFilter(ENGINE, clause, "Qdrant orders numbers alone")
      return anyOf(keysOf(clause).map((key) => ({ key, range: { [operator]: value } })))
    }
  }
}

function idsOf(clause: IndexClause): QdrantId[] {
  if (clause.operator !== "eq" && clause.operator !== "in") {
    throw cannotFilter(ENGINE, clause, "ids can be compared by eq and in alone")
  }
  const values = clause.operator === "eq" ? [clause.value] : clause.value
  const texts = values.filter((value) => typeof value === "string")
  return [...new Set(texts)].map(pointId).filter((id) => id !== null)
}

/** Numbers as a range: a match knows whole ones alone, and takes 10.0 for another than 10. */
function equals(key: string, values: readonly FilterValue[]): Condition[] {
  const texts = [...new Set(values.filter((value) => typeof value === "string"))]
  const numbers = values.filter((value) => typeof value === "number")
  const booleans = values.filter((value) => typeof value === "boolean")
  return [
    ...(texts.length === 1 ? [{ key, match: { value: texts[0] } }] : []),
    ...(texts.length > 1 ? [{ key, match: { any: texts } }] : []),
    ...numbers.map((value) => ({ key, range: { gte: value, lte: value } })),
    ...booleans.map((value) => ({ key, match: { value } })),
    // Of a list, `is_null` looks at the list, not into it.
    ...(values.includes(null) ? [{ is_null: { key } }, { is_null: { key: `${key}[]` } }] : []),
  ]
}

function anyOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 1 ? (conditions[0] as Condition) : { should: conditions }
}

/** Qdrant looks into a list on the way to a field only where the key says so: each may be one or not. */
function keysOf(clause: IndexClause): string[] {
  if (clause.path.length > DEPTH_MAX) throw cannotFilter(ENGINE, clause, `it goes deeper than ${DEPTH_MAX} fields`)
  const [last, ...above] = clause.path.map((key) => quotedKey(key, clause)).toReversed()
  const prefixes = above.reduceRight<string[]>(
    (heads, key) => heads.flatMap((head) => [`${head}${key}.`, `${head}${key}[].`]),
    [""],
  )
  return prefixes.map((prefix) => `${prefix}${last}`)
}

function quotedKey(key: string, clause: IndexClause): string {
  if (/^[A-Za-z0-9_-]+$/.test(key)) return key
  if (key === "" || key.includes('"')) throw cannotFilter(ENGINE, clause, "Qdrant's paths know no such name")
  return `"${key}"`
}
