import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/server"
import { Hono } from "hono"
import { invalidField } from "../../lib/errors.ts"
import type { Guard } from "./auth.ts"
import { parseJson } from "./check-input.ts"
import type { Edge } from "./edge.ts"
import { readText, requireMediaType } from "./json-body.ts"
import { mcpChallenge } from "./mcp-challenge.ts"
import { MESSAGE_BYTES_MAX } from "./mcp-route.ts"
import type { SseSessions } from "./sse-sessions.ts"

/**
 * `GET /sse` and `POST /messages`: MCP for clients that speak the transport of 2024 alone. Its sessions live in this
 * process, so that it is for the Node server and no Lambda.
 */
export function sseRoute(sessions: SseSessions, { guard }: { readonly guard: Guard }) {
  return new Hono<Edge>()
    .get("/sse", mcpChallenge(), guard("search"), async (c) => {
      const body = await sessions.open(c.get("principal"))
      return c.body(c.get("endWithKey")(body), 200, {
        "Content-Type": "text/event-stream",
        "Cache-Control": "no-cache, no-transform",
        "X-Accel-Buffering": "no",
      })
    })
    .post("/messages", mcpChallenge(), guard("search"), async (c) => {
      requireMediaType(c, /^application\/json$/, "application/json")
      const message = parsed(parseJson(await readText(c, { bytesMax: MESSAGE_BYTES_MAX })))
      sessions.receive(c.get("principal"), c.req.query("sessionId") ?? "", message)
      return c.text("Accepted", 202)
    })
}

function parsed(body: unknown): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(body)
  } catch {
    throw invalidField("body", "must be a JSON-RPC 2.0 message")
  }
}
