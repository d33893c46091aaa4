import { randomUUID } from "node:crypto"
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { AppError } from "../../lib/errors.ts"
import type { Principal } from "../../lib/keys/api-key.ts"
import type { CreateMcpServer } from "../../lib/mcp/create-mcp-server.ts"
import { authInfoOf } from "./mcp-caller.ts"
import { openSseStream } from "./open-sse-stream.ts"

/** What one process keeps open. */
export interface SseLimits {
  readonly sessionsMax: number
  /** Of one key, so that it can't keep the others out. */
  readonly sessionsOfKeyMax: number
  /** A session whose client has sent nothing for so long is ended. Longer than any call takes. */
  readonly idleMs: number
  readonly keepAliveMs: number
}

/** Open streams of clients that speak the transport of 2024, each with a server of its own. */
export interface SseSessions {
  /** A new one, as its stream. Throws `rate_limited` where there are too many. */
  open(principal: Principal): Promise<ReadableStream<Uint8Array>>
  /** Hands a message over. Throws `not_found` for a session that isn't there, or was opened with another key. */
  receive(principal: Principal, sessionId: string, message: JSONRPCMessage): void
  readonly size: number
}

interface Session {
  readonly principalId: string
  receive(message: JSONRPCMessage): void
}

export function createSseSessions(createServer: CreateMcpServer, limits: SseLimits): SseSessions {
  const sessions = new Map<string, Session>()

  function admit({ id }: Principal): void {
    const own = [...sessions.values()].filter(({ principalId }) => principalId === id).length
    if (sessions.size < limits.sessionsMax && own < limits.sessionsOfKeyMax) return
    throw new AppError(
      "rate_limited",
      "Too many MCP sessions are open over SSE: close one, or use /mcp, which keeps none",
    )
  }

  return {
    async open(principal) {
      admit(principal)
      const sessionId = randomUUID()
      const endpoint = `/messages?sessionId=${sessionId}`
      const { transport, body } = openSseStream({ sessionId, endpoint, keepAliveMs: limits.keepAliveMs })
      const idle = setTimeout(() => void transport.close(), limits.idleMs)
      idle.unref()
      sessions.set(sessionId, {
        principalId: principal.id,
        receive(message) {
          idle.refresh()
          transport.onmessage?.(message, { authInfo: authInfoOf(principal) })
        },
      })
      // The server's own listener comes after this one.
      transport.onclose = () => {
        clearTimeout(idle)
        sessions.delete(sessionId)
      }
      await createServer(principal).connect(transport)
      return body
    },
    receive(principal, sessionId, message) {
      const session = sessions.get(sessionId)
      if (session?.principalId !== principal.id) {
        throw new AppError("not_found", "There is no session with this id: open one with GET /sse")
      }
      session.receive(message)
    },
    get size() {
      return sessions.size
    },
  }
}
