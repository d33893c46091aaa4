import * as z from "zod"
import { ID_BYTES_MAX, StorableText } from "../shapes.ts"

/** Most conditions of one filter, and most values of one `in`. */
const FILTER_FIELDS_MAX = 32
const FILTER_VALUES_MAX = 200

const Scalar = z.union([StorableText.max(ID_BYTES_MAX), z.number(), z.boolean(), z.null()])
const Bound = z.union([StorableText.max(ID_BYTES_MAX), z.number()])

const Condition = z.union([
  Scalar,
  z
    .strictObject({
      eq: Scalar.optional(),
      in: z.array(Scalar).min(1).max(FILTER_VALUES_MAX).optional(),
      gt: Bound.optional(),
      gte: Bound.optional(),
      lt: Bound.optional(),
      lte: Bound.optional(),
      exists: z.boolean().optional(),
    })
    .refine(
      (condition) => Object.keys(condition).length > 0,
      "must name an operator: eq, in, gt, gte, lt, lte or exists",
    ),
])

/**
 * Which chunks may be found: every field must hold. A field is a key of the metadata (`a.b` goes into an object), or
 * one of the chunk's own: `document_id`, `kind`, `language`, and `anomaly`, the kinds of what is odd about it. A list in the metadata matches when one of its items does.
 */
export const Filter = z
  .record(StorableText.min(1).max(200), Condition)
  .refine((filter) => Object.keys(filter).length <= FILTER_FIELDS_MAX, `must have at most ${FILTER_FIELDS_MAX} fields`)
export type Filter = z.infer<typeof Filter>

/** A value that a filter compares with. */
export type FilterValue = z.infer<typeof Scalar>

/** How a clause compares. Each holds when one item of the field does: a list is looked into, an absent field has none. */
export type FilterOperator = "eq" | "in" | "gt" | "gte" | "lt" | "lte" | "exists"

/** One comparison of a filter, all of which must hold. */
export type FilterClause = {
  /** As the caller wrote it: `author.name`, or one of the chunk's own. */
  readonly field: string
} & (
  | { readonly operator: "eq"; readonly value: FilterValue }
  | { readonly operator: "in"; readonly value: readonly FilterValue[] }
  | { readonly operator: "gt" | "gte" | "lt" | "lte"; readonly value: string | number }
  | { readonly operator: "exists"; readonly value: boolean }
)

/** The filter as its comparisons, in no order that matters. Every index translates these. */
export function filterClauses(filter: Filter): FilterClause[] {
  return Object.entries(filter).flatMap(([field, condition]) => {
    const comparisons = condition === null || typeof condition !== "object" ? { eq: condition } : condition
    return Object.entries(comparisons)
      .filter(([, value]) => value !== undefined)
      .map(([operator, value]) => ({ field, operator, value }) as FilterClause)
  })
}

/** Fields of the chunk itself, and where they are in the jsonpath's variables. */
const OWN_FIELDS: ReadonlyMap<string, string> = new Map([
  ["document_id", "$document_id"],
  ["kind", "$kind"],
  ["language", "$language"],
  ["anomaly", "$anomalies[*].kind"],
])

/** The filter as a jsonpath predicate over a chunk's metadata, for `jsonb_path_exists`; null when it asks for nothing. */
export function filterToJsonpath(filter: Filter): string | null {
  const conditions = filterClauses(filter).map((clause) =>
    clauseToJsonpath(clause, OWN_FIELDS.get(clause.field) ?? memberPath(clause.field.split("."))),
  )
  return conditions.length === 0 ? null : `$ ? (${conditions.join(" && ")})`
}

/** The path of a member of what a jsonpath looks at. Keys go in as JSON strings, so that none can end the literal. */
export function memberPath(keys: readonly string[]): string {
  return `@${keys.map((key) => `.${JSON.stringify(key)}`).join("")}`
}

const SYMBOLS = { eq: "==", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

/** One clause as a jsonpath condition on what `path` reaches. Strings go in as JSON, whose escapes jsonpath shares. */
export function clauseToJsonpath(clause: FilterClause, path: string): string {
  if (clause.operator === "exists") return clause.value ? `exists(${path})` : `!exists(${path})`
  if (clause.operator === "in")
    return `(${clause.value.map((value) => `${path} == ${JSON.stringify(value)}`).join(" || ")})`
  return `${path} ${SYMBOLS[clause.operator]} ${JSON.stringify(clause.value)}`
}
