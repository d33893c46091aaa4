import { afterEach, describe, expect, test } from "vitest"
import { createGuard } from "../../functions/http/auth.ts"
import { createEdge } from "../../functions/http/create-edge.ts"
import { mcpRoute } from "../../functions/http/mcp-route.ts"
import { createRunningCalls } from "../../functions/http/running-calls.ts"
import { sseRoute } from "../../functions/http/sse-route.ts"
import { createSseSessions, type SseLimits } from "../../functions/http/sse-sessions.ts"
import { createTestApp } from "../../functions/http/test-app.ts"
import { openPort } from "../../functions/open-port.ts"
import { KeyScope, type Principal } from "../../lib/keys/api-key.ts"
import { createLog } from "../../lib/log.ts"
import { createMcpServers } from "../../lib/mcp/create-mcp-server.ts"
import { connectClient, KINDS, type Kind, type TestClient } from "./mcp-clients.ts"

// What a process keeps of its clients, and for how long.

const LIMITS: SseLimits = { sessionsMax: 4, sessionsOfKeyMax: 3, idleMs: 60_000, keepAliveMs: 10_000 }
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** The routes of MCP alone, with what they keep in sight. Every key is let in, under its own name. */
async function serveRoutes(limits: Partial<SseLimits> = {}) {
  const log = createLog({ level: "error", write: () => undefined })
  const authenticate = async (id: string): Promise<Principal> => ({ id, tenants: ["acme"], scopes: KeyScope.options })
  const guard = createGuard({ policy: "keys", authenticate, peerAddress: () => undefined })
  const { parts } = createTestApp()
  const createServer = createMcpServers({ ...parts, answer: parts.answers.answer, log })
  const calls = createRunningCalls()
  const sessions = createSseSessions(createServer, { ...LIMITS, ...limits })
  const app = createEdge(log)
    .route("/", mcpRoute(createServer, { guard, calls, log }))
    .route("/", sseRoute(sessions, { guard }))
  const port = await openPort(app, { host: "127.0.0.1", port: 0 })
  closers.push(() => port.close())
  const connect = async (kind: Kind, key = "one"): Promise<TestClient> => {
    const client = await connectClient(kind, port.url, key)
    closers.push(() => client.close())
    return client
  }
  return { url: port.url, calls, sessions, connect }
}

/** Waits until it holds; a test's own time is the limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test.each(KINDS)("a thousand calls of a client of %s leave nothing behind", { timeout: 240_000 }, async (kind) => {
  const { connect, calls, sessions } = await serveRoutes()
  const client = await connect(kind)
  for (let i = 0; i < 100; i++) {
    const results = await Promise.all(Array.from({ length: 10 }, () => client.call("retrieve", { query: "a" })))
    expect(results.every(({ isError }) => !isError)).toBe(true)
  }
  expect(calls.size).toBe(0)
  expect(sessions.size).toBe(kind.endsWith("SSE") ? 1 : 0)
  await client.close()
  await until(() => sessions.size === 0)
})

test("a thousand clients over HTTP, each with its own handshake, leave nothing behind", {
  timeout: 240_000,
}, async () => {
  const { url, calls, sessions } = await serveRoutes()
  for (let i = 0; i < 100; i++) {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const client = await connectClient("v1 over HTTP", url, "one")
        await client.call("server_health")
        await client.close()
      }),
    )
  }
  expect([calls.size, sessions.size]).toEqual([0, 0])
})

describe("a session over SSE", () => {
  const open = (url: string, key: string) => fetch(`${url}/sse`, { headers: { authorization: `Bearer ${key}` } })
  const endpointOf = async (response: Response) => {
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    closers.push(async () => reader?.cancel())
    return /data: (.+)/.exec(new TextDecoder().decode(value))?.[1] ?? ""
  }
  const send = (url: string, endpoint: string, key: string, body: string) =>
    fetch(`${url}${endpoint}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body,
    })
  const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })

  test("takes messages of the key that opened it alone; another's hears that there is none", async () => {
    const { url } = await serveRoutes()
    const endpoint = await endpointOf(await open(url, "one"))
    expect(endpoint).toMatch(/^\/messages\?sessionId=[\da-f-]{36}$/)
    expect((await send(url, endpoint, "one", PING)).status).toBe(202)
    const foreign = await send(url, endpoint, "two", PING)
    const never = await send(url, "/messages?sessionId=never", "two", PING)
    expect([foreign.status, never.status]).toEqual([404, 404])
    const said = async (response: Response) => ((await response.json()) as { detail: string }).detail
    expect(await said(foreign)).toBe(await said(never))
  })

  test.each([
    ["no JSON", "{", 400],
    ["no message", '{"a":1}', 400],
    ["too much", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(1_000_001) }), 413],
  ])("refuses %s, and goes on", async (_, body, status) => {
    const { url, sessions } = await serveRoutes()
    const endpoint = await endpointOf(await open(url, "one"))
    expect((await send(url, endpoint, "one", body)).status).toBe(status)
    expect((await send(url, endpoint, "one", PING)).status).toBe(202)
    expect(sessions.size).toBe(1)
  })

  test("is one of a bounded number, of a key and of all", async () => {
    const { url, sessions } = await serveRoutes()
    for (let i = 0; i < 3; i++) await endpointOf(await open(url, "one"))
    const fourth = await open(url, "one")
    expect([fourth.status, (await fourth.json()) as object]).toMatchObject([429, { code: "rate_limited" }])
    await endpointOf(await open(url, "two"))
    expect((await open(url, "three")).status).toBe(429)
    expect(sessions.size).toBe(4)
  })

  test("ends when its client has sent nothing for too long, and makes room", async () => {
    const { url, sessions } = await serveRoutes({ idleMs: 300 })
    const response = await open(url, "one")
    const reader = response.body?.getReader()
    await reader?.read()
    expect(sessions.size).toBe(1)
    expect(await reader?.read()).toMatchObject({ done: true })
    expect(sessions.size).toBe(0)
  })

  test("ends when its client goes away", async () => {
    const { url, sessions } = await serveRoutes()
    const response = await open(url, "one")
    const reader = response.body?.getReader()
    await reader?.read()
    expect(sessions.size).toBe(1)
    await reader?.cancel()
    await until(() => sessions.size === 0)
  })
})
