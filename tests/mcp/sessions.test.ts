import { afterEach, describe, expect, test } from "vitest"
import type { SseLimits } from "../../functions/http/sse-sessions.ts"
import { type ServedRoutes, serveRoutes } from "./serve-routes.ts"

// What a process keeps of its clients over SSE, and for how long.

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function served(limits: Partial<SseLimits> = {}): Promise<ServedRoutes> {
  const routes = await serveRoutes({ limits })
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
