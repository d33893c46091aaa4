import type { FilterValue } from "../../search/filter.ts"
import { cannotFilter } from "../filter-clause.ts"
import type { IndexClause, IndexFilter } from "../search-index.ts"
import { UUID, type WeaviateClass, type WeaviateProperty } from "./weaviate-class.ts"

const ENGINE = { engine: "weaviate" } as const

/** A condition of Weaviate's: operators are names, all else is JSON. */
export type Where = { readonly operator: string } & Readonly<Record<string, unknown>>

/** The filter in Weaviate's language. */
export interface WeaviateFilter {
  /** Undefined asks for nothing; null: no record can match. */
  readonly where: Where | null | undefined
  /** Whether `where` may let others through: texts are compared by their words, dates by their time. They must be looked at again. */
  readonly isLoose: boolean
}

/**
 * Translates by the properties' types: a value of another type equals nothing there. Nested objects, and whether a property is
 * there, Weaviate can't be asked.
 */
export function weaviateFilter(filter: IndexFilter, { properties }: WeaviateClass): WeaviateFilter {
  const wheres = filter.map((clause) =>
    clause.path.length === 0 ? idWhere(clause) : propertyWhere(clause, properties),
  )
  if (wheres.includes(null)) return { where: null, isLoose: false }
  const operands = wheres.filter((where) => where !== null)
  return {
    where: operands.length < 2 ? operands[0] : { operator: "And", operands },
    isLoose: filter.some(({ path }) => /^(text|string|date)/.test(properties.get(path[0] ?? "")?.dataType[0] ?? "")),
  }
}

function idWhere(clause: IndexClause): Where | null {
  if (clause.operator !== "eq" && clause.operator !== "in") {
    throw cannotFilter(ENGINE, clause, "ids can be compared by eq and in alone")
  }
  const values = clause.operator === "eq" ? [clause.value] : clause.value
  const ids = values.filter((value) => typeof value === "string" && UUID.test(value))
  return ids.length === 0 ? null : { path: ["id"], operator: "ContainsAny", valueText: ids }
}

function propertyWhere(clause: IndexClause, properties: WeaviateClass["properties"]): Where | null {
  if (clause.operator === "exists") {
    throw cannotFilter(ENGINE, clause, "Weaviate takes an empty text or list for none, and tells neither by default")
  }
  const property = properties.get(clause.path[0] ?? "")
  if (!property) return null
  const type = (property.dataType[0] ?? "").replace("[]", "")
  if (["object", "geoCoordinates", "phoneNumber"].includes(type) || /^[A-Z]/.test(type)) {
    if (clause.path.length > 1) throw cannotFilter(ENGINE, clause, "Weaviate doesn't filter by what is nested")
    return null
  }
  if (clause.path.length > 1 || type === "blob") return null
  if (property.indexFilterable === false || property.indexInverted === false) {
    throw cannotFilter(ENGINE, clause, "the property was made without an index for filters")
  }
  if (clause.operator === "eq") return equals(clause, property, type, clause.value)
  if (clause.operator === "in") return anyOf(clause.value.map((value) => equals(clause, property, type, value)))
  return ordered(clause, property, type)
}

function anyOf(wheres: readonly (Where | null)[]): Where | null {
  const operands = wheres.filter((where) => where !== null)
  return operands.length < 2 ? (operands[0] ?? null) : { operator: "Or", operands }
}

/** Weaviate keeps no null, and so nothing equals it. */
function equals(clause: IndexClause, property: WeaviateProperty, type: string, value: FilterValue): Where | null {
  const condition = { path: [property.name], operator: "Equal" }
  if (typeof value === "boolean") return type === "boolean" ? { ...condition, valueBoolean: value } : null
  if (typeof value === "number") {
    if (type === "number") return { ...condition, valueNumber: value }
    return type === "int" && Number.isSafeInteger(value) ? { ...condition, valueInt: value } : null
  }
  if (typeof value !== "string") return null
  if (type === "uuid") return UUID.test(value) ? { ...condition, valueText: value } : null
  if (type === "date") return RFC3339.test(value) ? { ...condition, valueDate: value } : null
  if (type !== "text" && type !== "string") return null
  requireWords(clause, property, value)
  return { ...condition, valueText: value }
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** What a text must have, for its words to find it, by how the property is tokenised. */
const WORDED: Readonly<Record<string, RegExp>> = {
  word: /[\p{L}\p{N}]/u,
  lowercase: /\S/,
  whitespace: /\S/,
  field: /\S/,
}

function requireWords(clause: IndexClause, { tokenization = "word" }: WeaviateProperty, value: string): void {
  const worded = WORDED[tokenization]
  if (!worded) throw cannotFilter(ENGINE, clause, `the property is tokenised by ${tokenization}`)
  if (!worded.test(value))
    throw cannotFilter(ENGINE, clause, "Weaviate compares texts by their words, and there is none in it")
}

const OPERATORS = { gt: "GreaterThan", gte: "GreaterThanEqual", lt: "LessThan", lte: "LessThanEqual" } as const

function ordered(
  clause: IndexClause & { operator: keyof typeof OPERATORS },
  { name }: WeaviateProperty,
  type: string,
): Where | null {
  const { value, operator } = clause
  if (typeof value === "string") {
    if (type === "number" || type === "int" || type === "boolean") return null
    throw cannotFilter(ENGINE, clause, "only numbers are ordered alike there and here")
  }
  if (type === "number") return { path: [name], operator: OPERATORS[operator], valueNumber: value }
  if (type !== "int") return null
  // A bound between two whole numbers: above it is above the lower, below it is below the higher.
  const isWhole = Number.isInteger(value)
  const bound = isWhole ? value : operator.startsWith("g") ? Math.floor(value) : Math.ceil(value)
  if (!Number.isSafeInteger(bound)) throw cannotFilter(ENGINE, clause, "the number is beyond 2^53")
  const asked = isWhole ? operator : operator.startsWith("g") ? "gt" : "lt"
  return { path: [name], operator: OPERATORS[asked], valueInt: bound }
}
