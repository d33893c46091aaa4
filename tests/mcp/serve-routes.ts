import { type AccessPolicy, createGuard } from "../../functions/http/auth.ts"
import { createEdge } from "../../functions/http/create-edge.ts"
import { mcpRoute } from "../../functions/http/mcp-route.ts"
import { createRunningCalls, type RunningCalls } from "../../functions/http/running-calls.ts"
import { sseRoute } from "../../functions/http/sse-route.ts"
import { createSseSessions, type SseLimits, type SseSessions } from "../../functions/http/sse-sessions.ts"
import { createTestApp } from "../../functions/http/test-app.ts"
import { createWrongKeys } from "../../functions/http/wrong-keys.ts"
import { openPort } from "../../functions/open-port.ts"
import { KeyScope, type Principal } from "../../lib/keys/api-key.ts"
import { createMemoryLimits } from "../../lib/limits/memory-limits.ts"
import { createRates } from "../../lib/limits/rates.ts"
import { createLog } from "../../lib/log.ts"
import { type CreateMcpServer, createMcpServers } from "../../lib/mcp/create-mcp-server.ts"

const LIMITS: SseLimits = { sessionsMax: 4, sessionsOfKeyMax: 3, idleMs: 60_000, keepAliveMs: 10_000 }

interface ServeRoutesOptions {
  readonly limits?: Partial<SseLimits>
  readonly policy?: AccessPolicy
  /** Of whom no request is let in any more; streams look every 50 ms. */
  readonly revoked?: ReadonlySet<string>
  /** Adds to what the server has. */
  readonly extend?: (createServer: CreateMcpServer) => CreateMcpServer
}

/** The routes of MCP alone, over functions that find nothing. */
export interface ServedRoutes {
  readonly url: string
  readonly calls: RunningCalls
  readonly sessions: SseSessions
  close(): Promise<void>
}

/** Serves them, with what they keep in sight. Every key is let in, under its own name. */
export async function serveRoutes(options: ServeRoutesOptions = {}): Promise<ServedRoutes> {
  const { limits = {}, policy = "keys", revoked, extend = (same) => same } = options
  const log = createLog({ level: "error", write: () => undefined })
  const authenticate = async (id: string): Promise<Principal | null> =>
    revoked?.has(id) ? null : { id, tenants: ["acme"], scopes: KeyScope.options }
  const rates = createRates(createMemoryLimits())
  const wrongKeys = createWrongKeys(log)
  const peerAddress = () => "127.0.0.1"
  const seen = { peerAddress, trustedProxies: 0, keyLookMs: 50 }
  const guard = createGuard({ policy, authenticate, rates, wrongKeys, ...seen })
  const { parts } = createTestApp()
  const createServer = extend(createMcpServers({ ...parts, answer: parts.answers.answer, log }))
  const calls = createRunningCalls()
  const sessions = createSseSessions(createServer, { ...LIMITS, ...limits })
  const app = createEdge(log, [])
    .route("/", mcpRoute(createServer, { guard, calls, log, serveApiDocs: true }))
    .route("/", sseRoute(sessions, { guard }))
  const port = await openPort(app, { host: "127.0.0.1", port: 0 })
  return { url: port.url, calls, sessions, close: async () => void (await port.close()) }
}
