import type { SqlValue } from "./database.ts"

/** Object ids of the built-in types that arrive as something other than text (`pg_type.oid`; they never change). */
const NUMBER_OIDS = new Set([21, 23, 26, 700, 701]) // int2, int4, oid, float4, float8
const NUMBER_ARRAY_OIDS = new Set([1005, 1007, 1021, 1022]) // int2[], int4[], float4[], float8[]
const TEXT_ARRAY_OIDS = new Set([1003, 1009, 1014, 1015]) // name[], text[], bpchar[], varchar[]
const JSON_OIDS = new Set([114, 3802]) // json, jsonb
const BOOL_OID = 16

/**
 * A parameter in PostgreSQL's text format, so that no driver applies its own idea of one: arrays become array
 * literals, numbers and booleans text. The server reads it by the type that the statement gives the parameter.
 */
export function toWire(value: SqlValue): string | null {
  if (value === null) return null
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return `{${value.map(arrayElement).join(",")}}`
}

function arrayElement(element: string | number | null): string {
  if (element === null) return "NULL"
  if (typeof element === "number") return String(element)
  return `"${element.replace(/["\\]/g, "\\$&")}"`
}

/**
 * A column in JavaScript: int2, int4, oid and floats as numbers, bool as boolean, json parsed, arrays of numbers and of
 * text as arrays. Everything else stays the text that PostgreSQL wrote: int8 and numeric (they lose digits as numbers),
 * times, vectors, bytea.
 */
export function fromWire(oid: number, text: string): unknown {
  if (NUMBER_OIDS.has(oid)) return Number(text)
  if (oid === BOOL_OID) return text === "t" || text === "true"
  if (JSON_OIDS.has(oid)) return JSON.parse(text)
  if (TEXT_ARRAY_OIDS.has(oid)) return arrayElements(text)
  if (NUMBER_ARRAY_OIDS.has(oid))
    return arrayElements(text).map((element) => (element === null ? null : Number(element)))
  return text
}

/** The elements of a one-dimensional array literal: `{a,"b \"c\"",NULL}`. */
function arrayElements(literal: string): (string | null)[] {
  const elements: (string | null)[] = []
  // A quoted element (with backslash escapes) or a bare one; the braces around them are cut off first.
  for (const [, quoted, bare] of literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,"]+)/gs)) {
    if (quoted !== undefined) elements.push(quoted.replace(/\\(.)/gs, "$1"))
    else elements.push(bare === "NULL" ? null : (bare ?? ""))
  }
  return elements
}
