import { afterAll, beforeAll, expect, test } from "vitest"
import type { Database } from "../lib/database/database.ts"
import { AppError } from "../lib/errors.ts"
import { createLog } from "../lib/log.ts"
import { createReadUsage, type ReadUsage, UsageReport } from "../lib/usage/read-usage.ts"
import { createUsageMeter } from "../lib/usage/usage-meter.ts"
import { type Served, serve } from "./served.ts"
import { OURS, openTwoTenants, THEIRS, type TwoTenants } from "./two-tenants.ts"

let db: TwoTenants
let served: Served
beforeAll(async () => {
  db = await openTwoTenants()
  served = await serve({ isMigrated: true, environment: { INFERENCE_TOKENS_PER_DAY: "1000" } })
})
afterAll(() => Promise.all([db?.close(), served?.close()]))

const log = createLog({ level: "error", write: () => undefined })
const NONE = { documents: 0, passages: 0, pages: 0 }
const usageOf = async (tenant: string): Promise<UsageReport> =>
  UsageReport.parse(await (await served.send("GET", `/usage?source_account_id=${tenant}`)).json())

const today = new Date().toISOString().slice(0, 10)

const reading = (): ReadUsage => createReadUsage({ database: db.database, stored: async () => NONE })

test("counts of several processes add up, each day by itself and each tenant's alone", async () => {
  const meters = [1, 2].map(() => createUsageMeter({ database: db.database, flushing: "timer", log }))
  for (const meter of meters) {
    await meter.count(OURS, { searches: 2, embeddedTokens: 5 })
    await meter.count(OURS, { searches: 1 })
    await meter.count(THEIRS, { crops: 1 })
    await meter.close()
  }
  const usage = await reading()(OURS, {})
  expect(usage.days).toHaveLength(31)
  expect(usage.days.at(-1)).toMatchObject({ day: today, searches: 6, embedded_tokens: 10, crops: 0 })
  expect(usage.total).toMatchObject({ searches: 6, embedded_tokens: 10, crops: 0 })
  expect((await reading()(THEIRS, {})).total).toMatchObject({ searches: 0, crops: 2 })
  expect((await reading()(OURS, { from: "2026-01-01", to: "2026-01-02" })).total.searches).toBe(0)
})

test("what can't be added up is kept and added up later, once", async () => {
  let isDown = true
  const database: Database = {
    ...db.database,
    batch: (...given) =>
      isDown ? Promise.reject(new AppError("database_unavailable", "down")) : db.database.batch(...given),
  }
  const meter = createUsageMeter({ database, flushing: "calls", log, now: () => 0 })
  await meter.count("flaky", { answers: 1 })
  isDown = false
  await meter.count("flaky", { answers: 1 })
  await meter.close()
  await meter.close()
  expect((await reading()("flaky", {})).total.answers).toBe(2)
})

test("where a process sleeps, the first count waits for the database, and then one in 5 s", async () => {
  let asked = 0
  let now = 0
  const database = { ...db.database, batch: async () => [[asked++]] } as unknown as Database
  const meter = createUsageMeter({ database, flushing: "calls", log, now: () => now })
  const after = async (ms: number) => {
    now += ms
    await meter.count("t", { searches: 1 })
    return asked
  }
  expect([await after(0), await after(1_000), await after(3_999), await after(1), await after(10)]).toEqual([
    1, 1, 1, 2, 2,
  ])
})

test("days in the wrong order, too many of them, or no days at all are a 400 that says what they must be", async () => {
  const ask = async (query: string) => (await served.send("GET", `/usage?${query}`)).json()
  expect(await ask("from=2026-02-02&to=2026-02-01")).toMatchObject({
    code: "invalid_request",
    errors: [{ field: "from" }],
  })
  expect(await ask("from=2020-01-01&to=2026-02-01")).toMatchObject({
    errors: [{ field: "from", message: expect.stringContaining("366") }],
  })
  expect(await ask("to=yesterday")).toMatchObject({ errors: [{ field: "to" }] })
})

test("what a tenant does over HTTP is in GET /usage, and what others do is not", async () => {
  const before = await usageOf("used")
  expect(before.total).toEqual(Object.fromEntries(Object.keys(before.total).map((name) => [name, 0])))
  const tide = { id: "tide", content: "High water comes fifty minutes later each day.", source_account_id: "used" }
  expect((await served.post("/index", tide)).status).toBe(201)
  for (let i = 0; i < 3; i++) await served.post("/search", { query: "high water", source_account_id: "used" })
  expect((await served.post("/answer", { question: "When is high water?", source_account_id: "used" })).status).toBe(
    200,
  )
  const embedded = await served.post("/v1/embeddings?source_account_id=used", { input: "The tide." })
  const { usage } = (await embedded.json()) as { usage: { total_tokens: number } }
  const report = await usageOf("used")
  expect(report.total).toMatchObject({ searches: 3, answers: 1, documents: 1, passages: 1, pages: 0, crops: 0 })
  expect(report.total.embedded_tokens).toBeGreaterThan(usage.total_tokens)
  expect(report.stored).toEqual({ documents: 1, passages: 1, pages: 0, upload_bytes: 0 })
  const other = await usageOf("unused")
  expect(other.total.searches).toBe(0)
})

test("INFERENCE_TOKENS_PER_DAY ends a tenant's embedding, of texts and of documents, and nobody else's", async () => {
  const long = Array(200).fill("tide").join(" ")
  const embed = (tenant: string) =>
    served.post(`/embed?source_account_id=${tenant}`, { inputs: [long, long, long], truncate: true })
  const statuses = []
  for (let i = 0; i < 5; i++) statuses.push((await embed("greedy")).status)
  expect(statuses).toEqual([200, 200, 429, 429, 429])
  const refused = await served.post("/index", { id: "a", content: "more", source_account_id: "greedy" })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({
    code: "rate_limited",
    detail: expect.stringContaining("INFERENCE_TOKENS_PER_DAY"),
  })
  expect((await served.post("/search", { query: "tide", source_account_id: "greedy" })).status).toBe(200)
  expect((await embed("modest")).status).toBe(200)
})
