import fc from "fast-check"
import { bodyOf } from "./arbitrary-body.ts"
import { mcpCall } from "./arbitrary-call.ts"
import { anyText, arbitraryOf, encoded, type Making, recordOf, type Schema } from "./arbitrary-of-schema.ts"
import type { Contract, ContractOperation } from "./contract.ts"

/** A request as it goes over the wire: bytes of a path, a body of bytes as latin1. */
export interface FuzzRequest {
  /** `GET /documents/{id}`, `tool retrieve`; null for what the contract doesn't have. */
  readonly operation: string | null
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** How often each kind is asked: those that run a model for long, and those that write, less. */
const SELDOM = /^(?:POST \/(?:answer|chat|rerank|documents|index|index\/batch)|DELETE .*)$/

/** Real values by the name of their parameter or property. */
export interface Known {
  readonly reading: Making["known"]
  /** For what writes and deletes, so that what reads goes on finding something. */
  readonly writing: Making["known"]
}

/** Requests of the whole contract, of the MCP server, and of what is neither: a good half of them as they should be. */
export function arbitraryRequest(contract: Contract, known: Known): fc.Arbitrary<FuzzRequest> {
  const { components } = contract
  const operations = contract.operations.flatMap((operation) => {
    const weight = SELDOM.test(operation.name) ? 1 : 4
    const made = { components, known: isWriting(operation) ? known.writing : known.reading }
    return [
      { weight: weight * 2, arbitrary: requestOf(operation, { ...made, isWild: false }) },
      { weight, arbitrary: requestOf(operation, { ...made, isWild: true }) },
    ]
  })
  const making = { components, known: known.reading }
  return fc.oneof(
    ...operations,
    { weight: 24, arbitrary: mcpCall(contract, { ...making, isWild: false }) },
    { weight: 16, arbitrary: mcpCall(contract, { ...making, isWild: true }) },
    { weight: 6, arbitrary: strayRequest(contract) },
  )
}

function isWriting({ method, path }: ContractOperation): boolean {
  return method === "DELETE" || (method === "POST" && /^\/(?:index|documents)/.test(path))
}

/** Its own method, or seldom one that it hasn't. */
function methodOf({ method }: ContractOperation, { isWild }: Making): fc.Arbitrary<string> {
  if (!isWild) return fc.constant(method)
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constantFrom("PUT", "HEAD", "OPTIONS") },
  )
}

function requestOf(operation: ContractOperation, making: Making): fc.Arbitrary<FuzzRequest> {
  const path = fc.tuple(...operation.pathParameters.map(({ name, schema }) => pathPart(name, schema, making)))
  const named = Object.fromEntries(operation.query.map(({ name, schema }) => [name, schema]))
  const query = recordOf(named, [], (schema, name) => queryPart(name, schema, making), making.isWild)
  return fc
    .tuple(path, query, bodyOf(operation, making), headersOf(), methodOf(operation, making))
    .map(([parts, parameters, { type, body }, headers, method]) => {
      let filled = operation.path
      for (const [at, { name }] of operation.pathParameters.entries())
        filled = filled.replace(`{${name}}`, () => parts[at] ?? "x")
      const search = Object.entries(parameters as Record<string, string>).map(([name, value]) => `${name}=${value}`)
      return {
        operation: method === operation.method ? operation.name : null,
        method,
        path: search.length > 0 ? `${filled}?${search.join("&")}` : filled,
        headers: { ...(type !== null && { "content-type": type }), ...headers },
        body: method === "GET" || method === "HEAD" ? null : body,
      }
    })
}

/** Percent-encoded, mostly as it should be. */
function pathPart(name: string, schema: Schema, making: Making): fc.Arbitrary<string> {
  const value = arbitraryOf(schema, making, name).map((each) => encoded(String(each)))
  if (!making.isWild) return value
  const known = (making.known[name] ?? []).map(encoded)
  const odd = fc.constantFrom(
    "%",
    "%zz",
    "%00",
    "%ff",
    "%c0%af",
    "..%2f..",
    "%252e%252e",
    "a%2fb",
    ";",
    "%F0%9F%98%80",
    "+",
    "~",
    "a".repeat(3_000),
  )
  return fc.oneof(
    { weight: 3, arbitrary: value },
    { weight: known.length > 0 ? 6 : 0, arbitrary: fc.constantFrom(...known, "x") },
    { weight: 1, arbitrary: odd },
  )
}

function queryPart(name: string, schema: Schema, making: Making): fc.Arbitrary<string> {
  const value = arbitraryOf(schema, making, name).map((each) => encoded(String(each)))
  if (!making.isWild) return value
  const known = (making.known[name] ?? []).map(encoded)
  return fc.oneof(
    value,
    anyText.map(encoded),
    fc.constantFrom(
      "",
      "1",
      "0",
      "-1",
      "0.5",
      "1e3",
      "999999",
      "%",
      "%zz",
      "%ff",
      "%00",
      "1&limit=2",
      "true",
      "0,0,1,1",
      "0,0,0,0",
      "1,1,0,0",
      ...known,
    ),
  )
}

function headersOf(): fc.Arbitrary<Record<string, string>> {
  const odd = fc.constantFrom<Record<string, string>>(
    { accept: "text/event-stream" },
    { accept: "image/webp" },
    { accept: "*/*;q=x" },
    { "if-none-match": "*" },
    { "if-none-match": '"a", W/"b",,' },
    { range: "bytes=0-0" },
    { "x-request-id": "x".repeat(2_000) },
    { "x-request-id": "é\t" },
    { "x-forwarded-host": "a b" },
    { "accept-encoding": "gzip, br" },
    { "content-encoding": "gzip" },
    { expect: "100-continue" },
    { "transfer-encoding": "chunked" },
    { "mcp-protocol-version": "1999-01-01" },
    { "mcp-session-id": "x" },
    { "last-event-id": "1" },
    { cookie: "a=b; ".repeat(100) },
    { traceparent: "00-zz-zz-zz" },
    // Ten are refused as wrong, those after them as too many.
    { authorization: "Bearer cc_wrong" },
    { "x-api-key": "é" },
  )
  return fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: odd })
}

/** Paths that the contract doesn't have, and methods that no path has. */
function strayRequest({ operations }: Contract): fc.Arbitrary<FuzzRequest> {
  const near = operations.map(({ path }) => path.replaceAll(/\{\w+\}/g, "x"))
  const paths = fc.oneof(
    fc.constantFrom(...near, ...near.map((path) => `${path}/`), ...near.map((path) => path.toUpperCase())),
    fc.constantFrom(
      "/",
      "//",
      "/docs",
      "/docs/..%2f..%2fpackage.json",
      "/assets/..%2f..%2f.env",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/%",
      "/%00",
      "/messages",
      "/messages?sessionId=x",
      "/.env",
      "/*",
      "/d/%ff",
    ),
    anyText.map((text) => `/${encoded(text)}`),
  )
  return fc
    .tuple(paths, fc.constantFrom("GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"))
    .map(([path, method]) => ({
      operation: null,
      method,
      path,
      headers: {},
      body: ["GET", "HEAD"].includes(method) ? null : "{}",
    }))
}
