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
      return { [key]: { $eq: comparable(clause, clause.value) } }
    case "in": {
      // One list holds values of one type; whole and other numbers count as two.
      const equal = clause.value.map((value) => ({ [key]: { $eq: comparable(clause, value) } }))
      return equal.length === 1 ? (equal[0] as object) : { $or: equal }
    }
    default:
      if (typeof clause.value === "number") return { [key]: { [`$${clause.operator}`]: clause.value } }
      throw cannotFilter(ENGINE, clause, "Chroma orders numbers alone")
  }
}

function comparable(clause: IndexClause, value: FilterValue): string | number | boolean {
  if (value !== null) return value
  throw cannotFilter(ENGINE, clause, `Chroma knows no value that is ${typeOfValue(value)}`)
}
