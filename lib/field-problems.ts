import type * as z from "zod"
import { AppError, type FieldProblem } from "./errors.ts"

/** More than this of one request tells nobody anything. */
const PROBLEMS_MAX = 20
/** Of a field's path, which is the caller's own text where the input is a record. */
const FIELD_CHARS_MAX = 100
const KEYS_MAX = 5

/**
 * Says what an input must be and names the limit it broke; a schema's own message wins over it. Never repeats the
 * input. For `schema.safeParse(input, { error: wording })`.
 */
export function wording(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "is required"
        : `must be ${article(issue.expected)}, not ${typeName(issue.input)}`
    case "too_big":
      return `must ${sizeVerb(issue.origin)} at most ${issue.maximum}${unit(issue.origin)}`
    case "too_small":
      return sizeVerb(issue.origin) === "have" && Number(issue.minimum) === 1
        ? "must not be empty"
        : `must ${sizeVerb(issue.origin)} at least ${issue.minimum}${unit(issue.origin)}`
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`
    case "unrecognized_keys":
      return `must not hold ${issue.keys.slice(0, KEYS_MAX).map(quoted).join(", ")}`
    case "invalid_union":
      return issue.input === undefined ? "is required" : ofTypes(issue)
    default:
      return undefined
  }
}

/**
 * The issues as problems of dotted fields: `chunks.3.content`; the whole input is called `root`. Of each field the first
 * problem only: an empty vector has no direction either, but that helps nobody.
 */
export function fieldProblems(issues: readonly z.core.$ZodIssue[], root = "body"): FieldProblem[] {
  const problems = new Map<string, string>()
  for (const { path, message } of issues.flatMap((issue) => leaves(issue))) {
    const field = path.length === 0 ? root : dotted(path)
    if (!problems.has(field)) problems.set(field, message)
  }
  return [...problems].slice(0, PROBLEMS_MAX).map(([field, message]) => ({ field, message }))
}

/** The error of an input that a schema refused: every wrong field, named in its message too. See `fieldProblems`. */
export function invalidInput(issues: readonly z.core.$ZodIssue[], root?: string): AppError {
  const fields = fieldProblems(issues, root)
  const detail = fields.map(({ field, message }) => `${field}: ${message}`).join("; ")
  return new AppError("invalid_request", detail, { fields })
}

interface Leaf {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Of a union, the alternative that got furthest is the one that was meant; when none got anywhere, the union itself. */
function leaves(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): Leaf[] {
  const path = [...above, ...issue.path]
  const inner = innerIssues(issue)
  if (inner.length === 0) return [{ path, message: issue.message }]
  return inner.flatMap((each) => leaves(each, path))
}

function innerIssues(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code === "invalid_key" || issue.code === "invalid_element") return issue.issues
  if (issue.code !== "invalid_union") return []
  const [furthest] = [...issue.errors].sort((a, b) => depth(b) - depth(a))
  return furthest && depth(furthest) > 0 ? furthest : []
}

/** How far an alternative got: a value of the right type is half a step further than one of the wrong type. */
function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length + beyondType(issue)))
}

function beyondType(issue: z.core.$ZodIssue): number {
  if (issue.code === "invalid_union") return Math.max(0, ...issue.errors.map(depth))
  return issue.code === "invalid_type" ? 0 : 0.5
}

/** What a union takes, by the types of its alternatives, where the value's type is that of none. */
function ofTypes({ errors, input }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const types = [...new Set(errors.flat().flatMap(expectedTypes))].map(article)
  if (types.length === 0) return "has a wrong type or value"
  const all = [types.slice(0, -1).join(", "), ...types.slice(-1)].filter(Boolean).join(" or ")
  return `must be ${all}, not ${typeName(input)}`
}

function expectedTypes(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "invalid_union") return issue.errors.flat().flatMap(expectedTypes)
  if (issue.code === "invalid_type") return [issue.expected]
  return issue.code === "invalid_value" ? issue.values.map((value) => typeof value) : []
}

function dotted(path: readonly PropertyKey[]): string {
  const field = path.map((part) => String(part).slice(0, FIELD_CHARS_MAX)).join(".")
  return (field.length > FIELD_CHARS_MAX ? `${field.slice(0, FIELD_CHARS_MAX - 1)}…` : field).toWellFormed()
}

function sizeVerb(origin: string): string {
  return origin === "string" || origin === "array" || origin === "set" ? "have" : "be"
}

function unit(origin: string): string {
  if (origin === "string") return " characters"
  return origin === "array" || origin === "set" ? " items" : ""
}

const quoted = (key: string): string => JSON.stringify(key.slice(0, FIELD_CHARS_MAX).toWellFormed())

function article(expected: string): string {
  if (expected === "null" || expected === "undefined") return expected
  if (expected === "int") return "a whole number"
  if (expected === "record") return "an object"
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`
}

function typeName(input: unknown): string {
  if (input === null) return "null"
  if (Array.isArray(input)) return "an array"
  if (typeof input === "number" && !Number.isFinite(input)) return "a number beyond what a double holds"
  if (typeof input === "number" && !Number.isInteger(input)) return "a fraction"
  return article(typeof input)
}
