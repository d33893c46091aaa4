import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { faultsAt } from "./faultless.ts"
import { openCluster, type PrivateCluster, whyNoCluster } from "./private-cluster.ts"
import {
  type Answered,
  ask,
  form,
  makeHome,
  removeFolder,
  type ServerProcess,
  startServer,
  WITHOUT_MODELS,
} from "./server-process.ts"

const reason = whyNoCluster()
const SEARCH_TIMEOUT_MS = 10_000
/** What an answer may be late: the wait for a connection, 5 s, and a busy machine. */
const LATE_MS = 8_000
const KILLS = 2

describe.skipIf(reason !== null)(`a PostgreSQL that is killed under load ${reason ?? ""}`, () => {
  let cluster: PrivateCluster
  let server: ServerProcess
  let home: string
  beforeAll(async () => {
    cluster = await openCluster()
    home = await makeHome(undefined, { isMigrated: false })
    server = await startServer({
      ...WITHOUT_MODELS,
      CONCORDANCE_HOME: home,
      DATABASE_URL: cluster.url,
      CONCORDANCE_SERVE_WITHOUT_KEYS: "true",
      SEARCH_TIMEOUT_MS: String(SEARCH_TIMEOUT_MS),
      INDEX_TIMEOUT_MS: String(SEARCH_TIMEOUT_MS),
    })
  })
  afterAll(async () => {
    await server?.kill()
    await cluster?.remove()
    await removeFolder(home)
  })

  test("answers 503 until it is back, keeps every acknowledged write once, and takes ingestion up again", async () => {
    const answers: Answered[] = []
    const acknowledged: string[] = []
    let isOver = false
    let count = 0
    const repeat = async (one: () => Promise<Answered>) => {
      while (!isOver) {
        answers.push(await one())
        await sleep(20)
      }
    }
    const write = async (path: string, body: (id: string) => object | FormData): Promise<Answered> => {
      const id = `doc-${count++}`
      const answer = await ask(server.url, path, body(id))
      if (answer.status < 300 && answer.status > 0) acknowledged.push(id)
      return answer
    }
    const load = [
      ...Array.from({ length: 2 }, () => repeat(() => ask(server.url, "/search", { query: `the harbour ${count}` }))),
      ...Array.from({ length: 2 }, () =>
        repeat(() => write("/index", (id) => ({ id, content: `The harbour keeps ${id} of the register.` }))),
      ),
      repeat(() => write("/documents", (id) => form(id, `The lighthouse saw ${id} sail.`))),
    ]
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(2_000)
      await cluster.kill()
      await sleep(1_500)
      await cluster.start()
    }
    await sleep(2_000)
    isOver = true
    await Promise.all(load)
    const states = new Set(answers.map(({ status, code }) => `${status} ${code ?? ""}`.trim()))
    expect([...states].filter((state) => !/^20[012]$|^503 database_unavailable$/.test(state))).toEqual([])
    expect(states).toContain("503 database_unavailable")
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(SEARCH_TIMEOUT_MS + LATE_MS)
    // It is back by itself.
    expect((await ask(server.url, "/search", { query: "harbour" })).status).toBe(200)
    // Nobody uploads anything more: what the kill interrupted is taken up without it.
    const left = () => cluster.query("select document_id from concordance.ingest_jobs where state <> 'done'")
    await expect.poll(left, { timeout: 150_000, interval: 500 }).toEqual([])
    const rows = await cluster.query("select id from concordance.documents where status = 'ready'")
    const there = new Set(rows.map(({ id }) => id))
    expect(acknowledged.filter((id) => !there.has(id))).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(10)
    expect(await faultsAt({ home, url: cluster.url })).toEqual({})
  })
})
