import fc from "fast-check"
import { replaced, utf8 } from "./arbitrary-body.ts"
import { anyJson, anyText, arbitraryOf, encoded, type Making } from "./arbitrary-of-schema.ts"
import type { FuzzRequest } from "./arbitrary-request.ts"
import type { Contract } from "./contract.ts"

/** Tools that run the reranker, some 100 times as long as the others. */
const SLOW = /answer|retrieve|search/

interface Message {
  readonly method: string
  readonly params: unknown
}

/** Calls of the MCP server's tools, and where they may be wild, of its resources and of what it hasn't. */
export function mcpCall({ tools }: Contract, making: Making): fc.Arbitrary<FuzzRequest> {
  const calls = tools.map(({ name, inputSchema }) =>
    fc.tuple(arbitraryOf(inputSchema, making), fc.nat(), anyJson, fc.nat({ max: 2 })).map(([args, at, wild, choice]) =>
      requestOf(`tool ${name}`, {
        method: "tools/call",
        params: { name, arguments: making.isWild && choice === 0 ? replaced(args, at, wild) : args },
      }),
    ),
  )
  const weighted = calls.map((arbitrary, at) => ({ weight: SLOW.test(tools[at]?.name ?? "") ? 1 : 5, arbitrary }))
  return making.isWild ? fc.oneof(...weighted, { weight: 5, arbitrary: wildCall() }) : fc.oneof(...weighted)
}

function wildCall(): fc.Arbitrary<FuzzRequest> {
  const uri = fc.tuple(anyText, anyText).map(([doc, chunk]) => `doc://${encoded(doc)}#${encoded(chunk)}`)
  const reading = uri.map((each) => ({ method: "resources/read", params: { uri: each } }))
  const message = fc.record({
    method: fc.constantFrom("tools/call", "resources/read", "prompts/get", "completion/complete", "x"),
    params: anyJson,
  })
  return fc
    .tuple(fc.oneof(reading, message), fc.oneof(fc.constant<unknown>(1), anyJson))
    .map(([each, id]) => requestOf(null, each, id))
}

function requestOf(operation: string | null, message: Message, id: unknown = 1): FuzzRequest {
  return {
    operation,
    method: "POST",
    path: "/mcp",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: utf8(JSON.stringify({ jsonrpc: "2.0", id, ...message })),
  }
}
