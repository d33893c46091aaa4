import { afterEach, expect, test } from "vitest"
import { connectClient, KINDS } from "../mcp/mcp-clients.ts"
import { type ServedRoutes, serveRoutes } from "../mcp/serve-routes.ts"

// What a process keeps of its clients once they have called a thousand times: nothing.

let served: ServedRoutes
afterEach(() => served.close())

/** Runs it a hundred times, ten at once. */
async function aThousand(work: () => Promise<void>): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.all(Array.from({ length: 10 }, work))
}

test.each(KINDS)("a thousand calls of a client of %s leave nothing behind", async (kind) => {
  served = await serveRoutes()
  const client = await connectClient(kind, served.url, "one")
  await aThousand(async () => {
    expect((await client.call("retrieve", { query: "a" })).isError).toBeFalsy()
  })
  expect(served.calls.size).toBe(0)
  expect(served.sessions.size).toBe(kind.endsWith("SSE") ? 1 : 0)
  await client.close()
  while (served.sessions.size > 0) await new Promise((resolve) => setTimeout(resolve, 5))
})

test("a thousand clients over HTTP, each with its own handshake, leave nothing behind", async () => {
  served = await serveRoutes()
  await aThousand(async () => {
    const client = await connectClient("v1 over HTTP", served.url, "one")
    await client.call("server_health")
    await client.close()
  })
  expect([served.calls.size, served.sessions.size]).toEqual([0, 0])
})
