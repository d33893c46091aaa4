import fc from "fast-check"
import { bodyOf, replaced, utf8 } from "./arbitrary-body.ts"
import { anyJson, anyText, arbitraryOf, type Making, type Schema } from "./arbitrary-of-schema.ts"
import type { Contract, ContractOperation } from "./contract.ts"

/** A request as it goes over the wire: bytes of a path, a body of bytes as latin1. */
export interface FuzzRequest {
  /** Of the contract; null for a path that it doesn't have. */
  readonly operation: string | null
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** How often each kind is asked: those that run a model for long, less. */
const SELDOM = /^(?:POST \/(?:answer|chat|rerank|documents|index|index\/batch))$/

/** Requests of the whole contract, of the MCP server, and of what is neither. */
export function arbitraryRequest(contract: Contract, making: Making): fc.Arbitrary<FuzzRequest> {
  const operations = contract.operations.map((operation) => ({
    weight: SELDOM.test(operation.name) ? 2 : 8,
    arbitrary: requestOf(operation, making),
  }))
  return fc.oneof(
    ...operations,
    { weight: 24, arbitrary: mcpCall(contract, making) },
    { weight: 4, arbitrary: strayRequest(contract) },
  )
}

function requestOf(operation: ContractOperation, making: Making): fc.Arbitrary<FuzzRequest> {
  const path = fc.tuple(...operation.pathParameters.map(({ name, schema }) => pathPart(name, schema, making)))
  const query = fc.record(
    Object.fromEntries(operation.query.map(({ name, schema }) => [name, queryPart(name, schema, making)])),
    { requiredKeys: [] },
  )
  return fc
    .tuple(path, query, bodyOf(operation, making), headersOf(), fc.integer({ min: 0, max: 60 }))
    .map(([parts, parameters, { type, body }, headers, chance]) => {
      let filled = operation.path
      for (const [at, { name }] of operation.pathParameters.entries())
        filled = filled.replace(`{${name}}`, () => parts[at] ?? "x")
      const search = Object.entries(parameters as Record<string, string>).map(([name, value]) => `${name}=${value}`)
      const method = chance === 0 ? "PUT" : chance === 1 ? "HEAD" : chance === 2 ? "OPTIONS" : operation.method
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
  const known = making.known(name).map(encoded)
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
  const known = making.known(name).map(encoded)
  return fc.oneof(
    arbitraryOf(schema, making, name).map((each) => encoded(String(each))),
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

/** Whatever it is, as bytes of an URL: a lone surrogate goes as the three bytes that some programs make of it. */
function encoded(text: string): string {
  return [...text]
    .map((character) =>
      /[\ud800-\udfff]/.test(character) && character.length === 1 ? "%ED%A0%80" : encodeURIComponent(character),
    )
    .join("")
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
  )
  return fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: odd })
}

function mcpCall({ tools }: Contract, making: Making): fc.Arbitrary<FuzzRequest> {
  const calls = tools.map(({ name, inputSchema }) =>
    fc
      .tuple(arbitraryOf(inputSchema, making), fc.nat(), anyJson, fc.nat({ max: 2 }))
      .map(([args, at, wild, choice]) => ({
        method: "tools/call",
        params: { name, arguments: choice === 0 ? replaced(args, at, wild) : args },
      })),
  )
  const uris = fc
    .tuple(anyText, anyText)
    .map(([doc, chunk]) => ({ method: "resources/read", params: { uri: `doc://${encoded(doc)}#${encoded(chunk)}` } }))
  const wild = fc.record({
    method: fc.constantFrom("tools/call", "resources/read", "prompts/get", "completion/complete", "x"),
    params: anyJson,
  })
  const light = calls.filter((_, at) => !/answer/.test(tools[at]?.name ?? ""))
  return fc
    .tuple(
      fc.oneof(...light, ...light, ...calls, uris, wild),
      fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>(1) }, { weight: 1, arbitrary: anyJson }),
    )
    .map(([message, id]) => ({
      operation: null,
      method: "POST",
      path: "/mcp",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: utf8(JSON.stringify({ jsonrpc: "2.0", id, ...message })),
    }))
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
