import { afterAll, beforeAll, expect, test } from "vitest"
import { openPort } from "../functions/open-port.ts"
import { createServerApp } from "../functions/server-app.ts"
import { createLog } from "../lib/log.ts"
import { type Served, serve } from "./served.ts"

const log = createLog({ level: "error", write: () => undefined })
let served: Served
let port: Awaited<ReturnType<typeof openPort>>
beforeAll(async () => {
  served = await serve({
    isMigrated: true,
    environment: {
      SEARCHES_PER_TENANT_MAX: "6",
      INFERENCE_QUEUE_MAX: "4",
      DATABASE_QUEUE_MAX: "8",
      SEARCH_TIMEOUT_MS: "20000",
    },
  })
  const { runtime, config } = served
  port = await openPort(createServerApp(runtime, { config, policy: "open", log }), {
    host: "127.0.0.1",
    port: 0,
  })
  for (const tenant of TENANTS) {
    for (let i = 0; i < 5; i++) {
      const document = { id: `d${i}`, content: `The tide at harbour ${i} comes late.`, source_account_id: tenant }
      expect((await served.post("/index", document)).status).toBe(201)
    }
  }
})
afterAll(async () => {
  await port?.close()
  await served?.close()
})

const TENANTS = ["a", "b", "c", "d", "e"]

async function ask(n: number, strategy: string) {
  const body = JSON.stringify({
    query: `tide ${n} at the harbour`,
    strategy,
    source_account_id: TENANTS[n % TENANTS.length],
  })
  const began = performance.now()
  const response = await fetch(`${port.url}/search`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  })
  const answer = (await response.json()) as { code?: string; count?: number }
  const retryAfter = response.headers.get("retry-after")
  return { status: response.status, retryAfter, ms: performance.now() - began, ...answer }
}

test("500 searches at once are answered, refused or shed, each within its deadline and in bounded memory; then it serves as before", {
  timeout: 240_000,
}, async () => {
  const before = await ask(0, "rrf")
  expect(before).toMatchObject({ status: 200, count: 5 })
  const memory = process.memoryUsage()
  const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => ask(n, n % 2 ? "rrf" : "lexical")))
  console.error(
    Math.max(...answers.map((a) => a.ms)),
    [200, 429, 503, 504].map((x) => answers.filter((a) => a.status === x).length),
  )
  const grown = process.memoryUsage().rss - memory.rss
  const of = (status: number) => answers.filter((answer) => answer.status === status)
  expect(of(200).length + of(429).length + of(503).length).toBe(500)
  // Places of five tenants, six each, and as many again that wait; the database takes eight at once.
  expect(of(200).length).toBeGreaterThan(8)
  expect(of(429).length).toBeGreaterThan(100)
  expect(of(503).length).toBeGreaterThan(0)
  for (const { code, retryAfter } of of(429)) expect([code, retryAfter]).toEqual(["too_many_at_once", "1"])
  for (const { code, retryAfter } of of(503)) expect([code, retryAfter]).toEqual(["overloaded", "2"])
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(20_000)
  expect(grown).toBeLessThan(200_000_000)
  expect(await ask(0, "rrf")).toMatchObject({ status: 200, count: 5 })
})

test("texts to embed beyond the model's queue get 503 at once, and the rest their vectors", async () => {
  const inputs = Array.from({ length: 64 }, (_, i) => `passage ${i} ${"about the tide ".repeat(40)}`)
  const answers = await Promise.all(Array.from({ length: 12 }, () => served.post("/embed", { inputs, truncate: true })))
  const statuses = answers.map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  expect(await answers[statuses.indexOf(503)]?.json()).toMatchObject({ code: "overloaded" })
  expect((await served.post("/embed", { inputs: ["tide"] })).status).toBe(200)
})
