import type { z } from "zod"
import type { FieldProblem } from "../../lib/errors.ts"

/** More than this of one request tells nobody anything. */
const PROBLEMS_MAX = 20

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
      return issue.origin === "string" && Number(issue.minimum) === 1
        ? "must not be empty"
        : `must ${sizeVerb(issue.origin)} at least ${issue.minimum}${unit(issue.origin)}`
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`
    case "unrecognized_keys":
      return `must not hold ${issue.keys.map((key) => JSON.stringify(key.slice(0, 100))).join(", ")}`
    case "invalid_union":
      return "has a wrong type or value"
    default:
      return undefined
  }
}

/** The issues as problems of dotted fields: `chunks.3.content`; the whole input is called `root`. */
export function fieldProblems(issues: readonly z.core.$ZodIssue[], root = "body"): FieldProblem[] {
  return issues
    .flatMap((issue) => leaves(issue))
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => ({ field: path.length === 0 ? root : dotted(path), message }))
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
  const depth = (issues: readonly z.core.$ZodIssue[]) =>
    Math.max(0, ...issues.map(({ path, code }) => path.length + (code === "invalid_type" ? 0 : 0.5)))
  const [furthest] = [...issue.errors].sort((a, b) => depth(b) - depth(a))
  return furthest && depth(furthest) > 0 ? furthest : []
}

function dotted(path: readonly PropertyKey[]): string {
  return path
    .map((part) => String(part).slice(0, 200))
    .join(".")
    .toWellFormed()
}

function sizeVerb(origin: string): string {
  return origin === "string" || origin === "array" || origin === "set" ? "have" : "be"
}

function unit(origin: string): string {
  if (origin === "string") return " characters"
  return origin === "array" || origin === "set" ? " items" : ""
}

function article(expected: string): string {
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
