import type { FilterValue } from "../../search/filter.ts"
import { cannotFilter, typeOfValue } from "../filter-clause.ts"
import type { IndexClause, IndexFilter } from "../search-index.ts"

/** A filter as Chroma takes it: `where`, and the ids that a clause on the record's own id leaves. */
export interface ChromaFilter {
  readonly where?: object
  readonly ids?: readonly string[]
}

const ENGINE = { engine: "chroma" } as const

/**
 * The filter in Chroma's language, whose values are texts, numbers and booleans, and whose order is of numbers alone. It can't ask
 * whether a key is there: `$ne` holds for records without it, and nothing else speaks of them.
 */
export function chromaFilter(filter: IndexFilter): ChromaFilter {
  const idClauses = filter.filter(({ path }) => path.length === 0)
  const wheres = filter.filter(({ path }) => path.length > 0).map(whereOf)
  const [first] = wheres
  return {
    ...(first && { where: wheres.length === 1 ? first : { $and: wheres } }),
    ...(idClauses.length > 0 && { ids: idClauses.map(idsOf).reduce((a, b) => a.filter((id) => b.includes(id))) }),
  }
}

function idsOf(clause: IndexClause): readonly string[] {
  if (clause.operator !== "eq" && clause.operator !== "in") {
    throw cannotFilter(ENGINE, clause, "ids can be compared by eq and in alone")
  }
  const values: readonly FilterValue[] = clause.operator === "eq" ? [clause.value] : clause.value
  return values.filter((value) => typeof value === "string")
}

function whereOf(clause: IndexClause): object {
  const key = clause.path.join(".")
  if (/^\$|^chroma:|^#/.test(key)) throw cannotFilter(ENGINE, clause, "Chroma keeps names like this for itself")
  switch (clause.operator) {
    case "exists":
      throw cannotFilter(ENGINE, clause, "Chroma can't ask whether a field is there")
    case "eq":
      return equals(key, comparable(clause, clause.value))
    case "in":
      // One list of `$in` holds values of one type; whole and other numbers count as two.
      return anyOf(clause.value.map((value) => equals(key, comparable(clause, value))))
    default:
      if (typeof clause.value === "number") return ordered(key, clause.operator, clause.value)
      throw cannotFilter(ENGINE, clause, "Chroma orders numbers alone")
  }
}

function equals(key: string, value: string | number | boolean): object {
  const isEqual = { [key]: { $eq: value } }
  if (typeof value !== "number" || Number.isInteger(value)) return isEqual
  return { $and: [isEqual, { [key]: { $ne: Math.trunc(value) } }] }
}

/** Chroma (1.0.5) compares whole numbers with the fraction of the bound cut off: 1 equals 1.5 to it, and isn't less. */
function ordered(key: string, operator: "gt" | "gte" | "lt" | "lte", value: number): object {
  if (Number.isInteger(value)) return { [key]: { [`$${operator}`]: value } }
  const isAbove = operator.startsWith("g")
  const beyond = isAbove
    ? [{ [key]: { $gt: value } }, { [key]: { $gte: Math.ceil(value) } }]
    : [{ [key]: { $lt: value } }, { [key]: { $lte: Math.floor(value) } }]
  return anyOf(operator.endsWith("e") ? [...beyond, equals(key, value)] : beyond)
}

function anyOf(conditions: readonly object[]): object {
  return conditions.length === 1 ? (conditions[0] as object) : { $or: conditions }
}

function comparable(clause: IndexClause, value: FilterValue): string | number | boolean {
  if (value !== null) return value
  throw cannotFilter(ENGINE, clause, `Chroma knows no value that is ${typeOfValue(value)}`)
}
