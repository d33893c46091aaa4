import fc from "fast-check"
import { anyJson, arbitraryOf, type Making } from "./arbitrary-of-schema.ts"
import type { ContractOperation } from "./contract.ts"

/** Types that none of these bodies has. */
const NEVER_JSON = [
  "text/plain",
  "application/jsonp",
  "application/json; charset=utf-16",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  "",
  "a",
  "application/x-www-form-urlencoded",
]
const BOUNDARY = "----fuzz"

/** Bytes as latin1, and what they are said to be. */
export type Body = { readonly type: string | null; readonly body: string | null }

/** Bodies of an operation: as they should be, with one property changed, torn, or of another type. */
export function bodyOf({ bodies }: ContractOperation, making: Making): fc.Arbitrary<Body> {
  if (bodies.length === 0) return fc.constant({ type: null, body: null })
  const each = bodies.map(({ type, schema }) => {
    const value = arbitraryOf(schema, making)
    const nearly = fc.tuple(value, fc.nat(), anyJson).map(([valid, at, wild]) => replaced(valid, at, wild))
    const form = type === "multipart/form-data"
    const written = fc.oneof(value, nearly).map((made) => (form ? formText(made) : utf8(JSON.stringify(made) ?? "")))
    const torn = fc.tuple(written, fc.nat(), fc.constantFrom(...TEARS)).map(([text, at, tear]) => tear(text, at))
    const own = form ? `${type}; boundary=${BOUNDARY}` : type
    if (!making.isWild) return value.map((made) => [own, form ? formText(made) : utf8(JSON.stringify(made))] as const)
    return fc.tuple(
      fc.oneof({ weight: 14, arbitrary: fc.constant(own) }, { weight: 1, arbitrary: fc.constantFrom(...NEVER_JSON) }),
      fc.oneof(
        { weight: 5, arbitrary: written },
        { weight: 1, arbitrary: torn },
        { weight: 1, arbitrary: anyJson.map((made) => utf8(JSON.stringify(made))) },
      ),
    )
  })
  return fc.oneof(...each).map(([type, body]) => ({ type, body }))
}

/** An object with one of its properties, or a property more, of another kind. */
export function replaced(valid: unknown, at: number, wild: unknown): unknown {
  if (typeof valid !== "object" || valid === null || Array.isArray(valid)) return wild
  const names = [...Object.keys(valid), "unknown", "__proto__", "constructor"]
  const entries = Object.entries(valid).concat([[names[at % names.length] ?? "unknown", wild]])
  return Object.fromEntries(entries)
}

/** What becomes of a body on a bad day. */
const TEARS: readonly ((text: string, at: number) => string)[] = [
  (text, at) => text.slice(0, at % (text.length + 1)),
  (text, at) => `${text.slice(0, at % (text.length + 1))}\xff\xfe${text.slice(at % (text.length + 1))}`,
  (text) => `${text}${text}`,
  (text) => text.replace("{", '{"query":1,"id":1,"query":2,'),
  (text) => text.replace(/:(?:"[^"]*"|\d+)/, ":1e999"),
  (text) => text.replace(/:(?:"[^"]*"|\d+)/, ":123456789012345678901234567890"),
  (text) => text.replace(/"([^"]*)"/, '"\\ud800\\u0000"'),
  (text) => `\xef\xbb\xbf${text}`,
  (text) => text.replaceAll("\r\n", "\n"),
  (text) => text.replaceAll(BOUNDARY, `${BOUNDARY}x`),
  (text) => `${text}\n\n${text}\n`,
  () => `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
  () => `{"a":${'{"a":'.repeat(3_000)}1${"}".repeat(3_001)}`,
]

function formText(made: unknown): string {
  const entries = typeof made === "object" && made !== null ? Object.entries(made) : [["file", made] as const]
  const parts = entries.map(([name, value]) => {
    const file = name === "file" ? '; filename="a.txt"' : ""
    const text = typeof value === "string" ? value : JSON.stringify(value)
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`
  })
  return utf8(`${parts.join("")}--${BOUNDARY}--\r\n`)
}

/** Bytes, one a character. */
export function utf8(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1")
}
