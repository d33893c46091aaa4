import type { FilterValue } from "../../search/filter.ts"
import { cannotFilter } from "../filter-clause.ts"
import type { IndexClause, IndexFilter } from "../search-index.ts"

const ENGINE = { engine: "pinecone" } as const

/** The filter in Pinecone's language; undefined asks for nothing. Its metadata is flat: a path is a key with dots. */
export function pineconeFilter(filter: IndexFilter): object | undefined {
  const conditions = filter.map(conditionOf)
  return conditions.length < 2 ? conditions[0] : { $and: conditions }
}

function conditionOf(clause: IndexClause): object {
  if (clause.path.length === 0) throw cannotFilter(ENGINE, clause, "Pinecone's filters don't reach a record's id")
  const key = clause.path.join(".")
  if (key.startsWith("$") || key === "") throw cannotFilter(ENGINE, clause, "Pinecone knows no such name")
  switch (clause.operator) {
    case "exists":
      return { [key]: { $exists: clause.value } }
    case "eq":
      return equals(clause, key, [clause.value])
    case "in":
      return equals(clause, key, clause.value)
    default:
      if (typeof clause.value === "number") return { [key]: { [`$${clause.operator}`]: clause.value } }
      throw cannotFilter(ENGINE, clause, "Pinecone orders numbers alone")
  }
}

/** `$in` takes texts and numbers, each list of one type. */
function equals(clause: IndexClause, key: string, values: readonly FilterValue[]): object {
  if (values.includes(null)) throw cannotFilter(ENGINE, clause, "Pinecone keeps no null")
  const texts = values.filter((value) => typeof value === "string")
  const numbers = values.filter((value) => typeof value === "number")
  const conditions = [
    ...[texts, numbers].filter((list) => list.length > 1).map((list) => ({ [key]: { $in: list } })),
    ...[texts, numbers].filter((list) => list.length === 1).map(([value]) => ({ [key]: { $eq: value } })),
    ...values.filter((value) => typeof value === "boolean").map((value) => ({ [key]: { $eq: value } })),
  ]
  return conditions.length === 1 ? (conditions[0] as object) : { $or: conditions }
}
