import type * as z from "zod"
import { AppError } from "../../lib/errors.ts"
import { invalidInput, wording } from "../../lib/field-problems.ts"

/** Deeper JSON is refused: validators recurse, and Postgres parses jsonb on a bounded stack. */
const DEPTH_MAX = 64
const WARNINGS_MAX = 20

/** An input that a schema has accepted, with what of it had no effect. */
export interface Checked<Schema extends z.ZodType> {
  readonly data: z.output<Schema>
  readonly warnings: readonly string[]
}

/** Parses JSON text. Throws `invalid_request` that names the position, and never repeats the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined
    const message = `must be valid JSON${position ? ` (it breaks at character ${position})` : ""}`
    throw new AppError("invalid_request", `body: ${message}`, { fields: [{ field: "body", message }] })
  }
}

/**
 * Checks an object that a caller sent against its schema. At the top level null counts as absent, and so does an empty
 * `source_account_id`: Go clients send their zero values. Throws `invalid_request` with every wrong field.
 */
export function checkObject<Schema extends z.ZodObject>(schema: Schema, input: unknown): Checked<Schema> {
  if (isDeep(input)) {
    const message = `must not be nested deeper than ${DEPTH_MAX} levels`
    throw new AppError("invalid_request", `body: ${message}`, { fields: [{ field: "body", message }] })
  }
  const parsed = schema.safeParse(withoutZeroValues(input), { error: wording })
  if (!parsed.success) throw invalidInput(parsed.error.issues)
  return { data: parsed.data, warnings: unknownFields(schema, input as object) }
}

/** Checks query parameters, which are all text. Throws `invalid_request` with every wrong one. */
export function checkQuery<Schema extends z.ZodObject>(schema: Schema, query: Record<string, string>) {
  const parsed = schema.safeParse(withoutZeroValues(query), { error: wording })
  if (!parsed.success) throw invalidInput(parsed.error.issues, "query")
  return parsed.data as z.output<Schema>
}

function withoutZeroValues(input: unknown): unknown {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return input
  const entries = Object.entries(input).filter(
    ([name, value]) => value !== null && !(name === "source_account_id" && value === ""),
  )
  return Object.fromEntries(entries)
}

function unknownFields(schema: z.ZodObject, input: object): string[] {
  return Object.keys(input)
    .filter((name) => !Object.hasOwn(schema.shape, name))
    .slice(0, WARNINGS_MAX)
    .map((name) => `unknown field ${JSON.stringify(name.slice(0, 100).toWellFormed())} was ignored`)
}

/** Level by level, without recursion: the input may be anything. */
function isDeep(input: unknown): boolean {
  let level: object[] = isContainer(input) ? [input] : []
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === DEPTH_MAX) return true
    const below: object[] = []
    for (const container of level) {
      for (const value of Object.values(container)) if (isContainer(value)) below.push(value)
    }
    level = below
  }
  return false
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
