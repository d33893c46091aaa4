import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterEach, describe, expect, test } from "vitest"
import type { SseLimits } from "../../functions/http/sse-sessions.ts"
import { type ServedRoutes, serveRoutes } from "./serve-routes.ts"

// What a process keeps of its clients over SSE, and for how long.

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function served(
  limits: Partial<SseLimits> = {},
  revoked: ReadonlySet<string> = new Set(),
): Promise<ServedRoutes> {
  const routes = await serveRoutes({ limits, revoked })
  closers.push(() => routes.close())
  return routes
}

/** Waits until it holds; a test's own time is the limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

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
    const { url } = await served()
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
    const { url, sessions } = await served()
    const endpoint = await endpointOf(await open(url, "one"))
    expect((await send(url, endpoint, "one", body)).status).toBe(status)
    expect((await send(url, endpoint, "one", PING)).status).toBe(202)
    expect(sessions.size).toBe(1)
  })

  test("is one of a bounded number, of a key and of all", async () => {
    const { url, sessions } = await served()
    for (let i = 0; i < 3; i++) await endpointOf(await open(url, "one"))
    const fourth = await open(url, "one")
    expect([fourth.status, (await fourth.json()) as object]).toMatchObject([429, { code: "rate_limited" }])
    await endpointOf(await open(url, "two"))
    expect((await open(url, "three")).status).toBe(429)
    expect(sessions.size).toBe(4)
  })

  test("ends when its client has sent nothing for too long, and makes room", async () => {
    const { url, sessions } = await served({ idleMs: 300 })
    const response = await open(url, "one")
    const reader = response.body?.getReader()
    await reader?.read()
    expect(sessions.size).toBe(1)
    expect(await reader?.read()).toMatchObject({ done: true })
    expect(sessions.size).toBe(0)
  })

  test("ends when its key is revoked, and another's goes on", async () => {
    const revoked = new Set<string>()
    const { url, sessions } = await served({}, revoked)
    const [ours, theirs] = await Promise.all([open(url, "one"), open(url, "two")])
    const reader = ours.body?.getReader()
    await reader?.read()
    const endpoint = await endpointOf(theirs)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(sessions.size).toBe(2)
    revoked.add("one")
    expect(await reader?.read()).toMatchObject({ done: true })
    expect(sessions.size).toBe(1)
    expect((await send(url, endpoint, "two", PING)).status).toBe(202)
  })

  test("ends when its client goes away", async () => {
    const { url, sessions } = await served()
    const response = await open(url, "one")
    const reader = response.body?.getReader()
    await reader?.read()
    expect(sessions.size).toBe(1)
    await reader?.cancel()
    await until(() => sessions.size === 0)
  })
})

test("/mcp keeps no stream open past its call: none could outlive its key", async () => {
  const { url } = await served()
  const headers = { Authorization: "Bearer one" }
  const got = await fetch(`${url}/mcp`, { headers: { ...headers, accept: "text/event-stream" } })
  expect(got.status).toBe(405)
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }))
  closers.push(() => client.close())
  // Nothing that could be listened to changes here, so that the SDK ends it at once.
  const { closed } = await client.listen({ toolsListChanged: true })
  expect(await closed).toBe("graceful")
})
