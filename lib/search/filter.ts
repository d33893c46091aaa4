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
type Condition = z.infer<typeof Condition>

/**
 * Which chunks may be found: every field must hold. A field is a key of the metadata (`a.b` goes into an object), or
 * one of the chunk's own: `document_id`, `kind`, `language`. A list in the metadata matches when one of its items does.
 */
export const Filter = z
  .record(StorableText.min(1).max(200), Condition)
  .refine((filter) => Object.keys(filter).length <= FILTER_FIELDS_MAX, `must have at most ${FILTER_FIELDS_MAX} fields`)
export type Filter = z.infer<typeof Filter>

/** Fields of the chunk itself; they come to the jsonpath as its variables. */
const OWN_FIELDS = new Set(["document_id", "kind", "language"])

const OPERATORS = { eq: "==", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

/**
 * The filter as a jsonpath predicate over a chunk's metadata, for `jsonb_path_exists`. Strings and keys go in as JSON
 * strings, whose escapes jsonpath shares, so that nothing a caller writes can end the literal.
 */
export function filterToJsonpath(filter: Filter): string | null {
  const conditions = Object.entries(filter).map(([field, condition]) =>
    conditionToJsonpath(fieldPath(field), condition),
  )
  return conditions.length === 0 ? null : `$ ? (${conditions.join(" && ")})`
}

function fieldPath(field: string): string {
  if (OWN_FIELDS.has(field)) return `$${field}`
  return `@${field
    .split(".")
    .map((key) => `.${JSON.stringify(key)}`)
    .join("")}`
}

function conditionToJsonpath(path: string, condition: Condition): string {
  if (condition === null || typeof condition !== "object") return `${path} == ${JSON.stringify(condition)}`
  const parts: string[] = []
  for (const [operator, symbol] of Object.entries(OPERATORS) as [keyof typeof OPERATORS, string][]) {
    const value = condition[operator]
    if (value !== undefined) parts.push(`${path} ${symbol} ${JSON.stringify(value)}`)
  }
  if (condition.in) parts.push(`(${condition.in.map((value) => `${path} == ${JSON.stringify(value)}`).join(" || ")})`)
  if (condition.exists !== undefined) parts.push(condition.exists ? `exists(${path})` : `!exists(${path})`)
  return parts.join(" && ")
}
