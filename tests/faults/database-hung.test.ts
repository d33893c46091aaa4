import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createDatabaseLoad, expectNothingLost, outcomesOf } from "./database-load.ts"
import { whyNoCluster } from "./private-cluster.ts"
import { type ServedCluster, serveCluster } from "./served-cluster.ts"
import { ask } from "./server-process.ts"

const reason = whyNoCluster()
const TIMEOUT_MS = 4_000
/** Beyond it: a second until a silent connection is given up, and a busy machine. */
const LATE_MS = 5_000
/** Longer than both: who waits for the end is found out. */
const HUNG_MS = 15_000
/** Of the pool: node-postgres as the server opens it. */
const CONNECTIONS = 10

describe.skipIf(reason !== null)(`a PostgreSQL that hangs under load ${reason ?? ""}`, () => {
  let served: ServedCluster
  beforeAll(async () => {
    served = await serveCluster({
      SEARCH_TIMEOUT_MS: String(TIMEOUT_MS),
      INDEX_TIMEOUT_MS: String(TIMEOUT_MS),
      DATABASE_TIMEOUT_MS: String(TIMEOUT_MS),
    })
  })
  afterAll(() => served?.close())

  test("is answered for within each request's deadline; when it goes on, all serves as before on as many connections", {
    timeout: 240_000,
  }, async () => {
    const { server, cluster } = served
    const load = createDatabaseLoad(server)
    // The first of each loads what it needs: seconds on a busy machine.
    await expect.poll(async () => (await load.search()).status, { timeout: 30_000 }).toBe(200)
    await expect.poll(async () => (await load.index()).status, { timeout: 30_000 }).toBe(201)
    load.repeat(CONNECTIONS, load.search)
    load.repeat(3, load.index)
    load.repeat(2, () => ask(server.url, "/documents?limit=10"))
    load.repeat(1, load.upload)
    await sleep(2_000)
    await cluster.hang()
    const hungAt = performance.now()
    await sleep(HUNG_MS)
    await cluster.goOn()
    const wentOnAt = performance.now()
    await sleep(3_000)
    await load.stop()

    const outcomes = outcomesOf(load.answers)
    const meant = /^20[012]$|^503 database_unavailable$|^504 deadline_exceeded$/
    expect([...outcomes].filter((outcome) => !meant.test(outcome))).toEqual([])
    expect(load.answers.filter(({ ms }) => ms > TIMEOUT_MS + LATE_MS)).toEqual([])
    // Each of the 16 loops was told more than once, and none waited for the end.
    const during = load.answers.filter(({ beganAt }) => beganAt > hungAt && beganAt < wentOnAt)
    expect(during.filter(({ status }) => status >= 503).length).toBeGreaterThan(16)
    expect(outcomes).toContain("503 database_unavailable")

    // More at once than there are connections: a slot that is lost would keep some of them waiting.
    const after = await Promise.all(Array.from({ length: CONNECTIONS * 2 }, load.search))
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 200))
    const [held] = await cluster.query(
      "select count(*)::int as n from pg_stat_activity where application_name = 'concordance' and state <> 'idle'",
    )
    expect(held).toEqual({ n: 0 })
    expect(load.acknowledged.length).toBeGreaterThan(3)
    await expectNothingLost(load.acknowledged, served)
  })
})
