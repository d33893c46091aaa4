import { createHash } from "node:crypto"
import * as z from "zod"
import { invalidField } from "./errors.ts"

const Opaque = z.object({ after: z.union([z.string(), z.int().min(0)]), of: z.string() })

/** Ties a cursor to the list it came from: a digest of whatever decides that list's content and order. */
function fingerprint(list: unknown): string {
  return createHash("sha256").update(JSON.stringify(list)).digest("base64url").slice(0, 16)
}

/** An opaque cursor: where the next page of `list` starts. */
export function encodeCursor(after: string | number, list: unknown): string {
  return Buffer.from(JSON.stringify({ after, of: fingerprint(list) })).toString("base64url")
}

/** Where the page starts. Throws `invalid_request` (field `cursor`) when it isn't a cursor, or one of another list. */
export function decodeCursor<T extends "string" | "number">(
  cursor: string,
  list: unknown,
  type: T,
): T extends "string" ? string : number {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"))
  } catch {
    throw invalidField("cursor", "is not a cursor: give next_cursor of the page before, unchanged")
  }
  const opaque = Opaque.safeParse(parsed)
  if (!opaque.success || typeof opaque.data.after !== type) {
    throw invalidField("cursor", "is not a cursor: give next_cursor of the page before, unchanged")
  }
  if (opaque.data.of !== fingerprint(list)) {
    throw invalidField("cursor", "belongs to another request: only the page may change between pages")
  }
  return opaque.data.after as T extends "string" ? string : number
}

/** A cursor of a list whose order takes several values: the place where its next page starts. */
export function encodePlace(place: readonly (string | number)[], list: unknown): string {
  return encodeCursor(JSON.stringify(place), list)
}

/** That place, as `schema` has it. Throws as `decodeCursor` does: anybody can write what looks like a cursor. */
export function decodePlace<Schema extends z.ZodType>(cursor: string, list: unknown, schema: Schema): z.output<Schema> {
  const text = decodeCursor(cursor, list, "string")
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    throw invalidField("cursor", "is not a cursor: give next_cursor of the page before, unchanged")
  }
}
