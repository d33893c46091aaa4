import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createDatabaseLoad, expectNothingLost, outcomesOf } from "./database-load.ts"
import { whyNoCluster } from "./private-cluster.ts"
import { type ServedCluster, serveCluster } from "./served-cluster.ts"

const reason = whyNoCluster()
const SEARCH_TIMEOUT_MS = 10_000
/** What an answer may be late: the wait for a connection, 5 s, and a busy machine. */
const LATE_MS = 8_000
const KILLS = 2

describe.skipIf(reason !== null)(`a PostgreSQL that is killed under load ${reason ?? ""}`, () => {
  let served: ServedCluster
  beforeAll(async () => {
    served = await serveCluster({
      SEARCH_TIMEOUT_MS: String(SEARCH_TIMEOUT_MS),
      INDEX_TIMEOUT_MS: String(SEARCH_TIMEOUT_MS),
    })
  })
  afterAll(() => served?.close())

  test("answers 503 until it is back, keeps every acknowledged write once, and takes ingestion up again", async () => {
    const { server, cluster } = served
    const load = createDatabaseLoad(server)
    load.repeat(2, load.search)
    load.repeat(2, load.index)
    load.repeat(1, load.upload)
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(2_000)
      await cluster.kill()
      await sleep(1_500)
      await cluster.start()
    }
    await sleep(2_000)
    await load.stop()
    const outcomes = outcomesOf(load.answers)
    expect([...outcomes].filter((outcome) => !/^20[012]$|^503 database_unavailable$/.test(outcome))).toEqual([])
    expect(outcomes).toContain("503 database_unavailable")
    expect(Math.max(...load.answers.map(({ ms }) => ms))).toBeLessThan(SEARCH_TIMEOUT_MS + LATE_MS)
    // It is back by itself.
    expect((await load.search()).status).toBe(200)
    expect(load.acknowledged.length).toBeGreaterThan(10)
    await expectNothingLost(load.acknowledged, served)
  })
})
