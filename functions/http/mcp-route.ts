import { randomUUID } from "node:crypto"
import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isJsonContentType,
} from "@modelcontextprotocol/server"
import { type Context, Hono } from "hono"
import * as z from "zod"
import type { Log } from "../../lib/log.ts"
import type { CreateMcpServer } from "../../lib/mcp/create-mcp-server.ts"
import type { Guard } from "./auth.ts"
import type { Edge } from "./edge.ts"
import { readText } from "./json-body.ts"
import { authInfoOf, principalOf } from "./mcp-caller.ts"
import { mcpChallenge, publicOrigin, RESOURCE_METADATA } from "./mcp-challenge.ts"
import type { Operation } from "./openapi.ts"
import type { RunningCalls } from "./running-calls.ts"
import { whenEnded } from "./when-ended.ts"

/** A question of 8,000 characters, many times over. */
export const MESSAGE_BYTES_MAX = 1_000_000
/** Longest silence of a stream, ms: proxies end a connection after 30 to 60 s without a byte. */
export const KEEP_ALIVE_MS = 10_000

const Cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
})

interface McpRouteOptions {
  readonly guard: Guard
  readonly calls: RunningCalls
  readonly log: Log
  /** Whether `/docs` is there. */
  readonly serveApiDocs: boolean
}

/**
 * `/mcp`: Streamable HTTP of the protocols of 2025 and of 2026, without any state between two requests. A client of 2025
 * cancels a call by another request, and its ids are its own: so `initialize` gives each a random session id, which names a
 * call while it runs and is kept nowhere.
 */
export function mcpRoute(createServer: CreateMcpServer, { guard, calls, log, serveApiDocs }: McpRouteOptions) {
  const metadata = (c: Context<Edge>, path: "/mcp" | "/sse") => metadataOf(publicOrigin(c), path, serveApiDocs)
  const handler = createMcpHandler(({ authInfo }) => createServer(principalOf(authInfo)), {
    keepAliveMs: KEEP_ALIVE_MS,
    maxRequestBodySize: MESSAGE_BYTES_MAX,
    // Its message may repeat what the client sent.
    onerror: ({ name }) => log.debug("MCP request refused", { name }),
  })
  async function serve(c: Context<Edge>): Promise<Response> {
    const authInfo = authInfoOf(c.get("principal"))
    const { raw } = c.req
    if (raw.method !== "POST" || !isJsonContentType(raw.headers.get("content-type"))) {
      return handler.fetch(raw, { authInfo })
    }
    const text = await readText(c, { bytesMax: MESSAGE_BYTES_MAX })
    const message = parsed(text)
    const session = c.req.header("mcp-session-id")
    const of = (id: string | number) => ({ principalId: authInfo.clientId, session: session ?? "", id })
    const cancelled = Cancelled.safeParse(message)
    if (cancelled.success && session !== undefined) {
      calls.cancel(of(cancelled.data.params.requestId))
      return new Response(null, { status: 202 })
    }
    const stop = new AbortController()
    raw.signal.addEventListener("abort", () => stop.abort(raw.signal.reason), { once: true })
    const request = new Request(raw.url, { method: "POST", headers: raw.headers, body: text, signal: stop.signal })
    const isCall = session !== undefined && isJSONRPCRequest(message)
    const ended = isCall ? calls.start(of(message.id), stop) : () => undefined
    const response = await handler
      .fetch(request, { authInfo, ...(message !== undefined && { parsedBody: message }) })
      .catch((error: unknown) => {
        ended()
        throw error
      })
    if (isInitializeRequest(message)) response.headers.set("Mcp-Session-Id", randomUUID())
    return whenEnded(response, ended)
  }
  return new Hono<Edge>()
    .all("/mcp", mcpChallenge(), guard("search"), async (c) => {
      const { body, status, headers } = await serve(c)
      // nginx would collect the events before it passes them on.
      if (headers.get("content-type")?.startsWith("text/event-stream")) headers.set("X-Accel-Buffering", "no")
      return c.newResponse(body, { status: status as 200, headers })
    })
    .get(RESOURCE_METADATA, (c) => c.json(metadata(c, "/mcp")))
    .get(`${RESOURCE_METADATA}/mcp`, (c) => c.json(metadata(c, "/mcp")))
    .get(`${RESOURCE_METADATA}/sse`, (c) => c.json(metadata(c, "/sse")))
}

/** Undefined for what is no JSON, which the SDK answers. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const ResourceMetadata = z.object({
  resource: z.string(),
  resource_name: z.string(),
  resource_documentation: z.string().optional(),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.string()),
})

/** No authorization server: keys are made by the operator (`concordance keys create`), and sent as bearer tokens. */
function metadataOf(origin: string, path: string, serveApiDocs: boolean): z.infer<typeof ResourceMetadata> {
  return {
    resource: `${origin}${path}`,
    resource_name: "Concordance",
    ...(serveApiDocs && { resource_documentation: `${origin}/docs` }),
    scopes_supported: ["search"],
    bearer_methods_supported: ["header"],
  }
}

export const mcpOperations: readonly Operation[] = [
  RESOURCE_METADATA,
  `${RESOURCE_METADATA}/mcp`,
  `${RESOURCE_METADATA}/sse`,
].map((path) => ({
  method: "get",
  tag: "Service",
  path,
  summary: "How a client of the MCP server sends its key (RFC 9728); needs none",
  responses: { 200: { description: "The metadata", "application/json": ["ResourceMetadata", ResourceMetadata] } },
}))
