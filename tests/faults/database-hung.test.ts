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
const TIMEOUT_MS = 4_000
/** Beyond it: a second until a silent connection is given up, and a busy machine. */
const LATE_MS = 5_000
/** Longer than both: who waits for the end is found out. */
const HUNG_MS = 15_000
/** Of the pool: node-postgres as the server opens it. */
const CONNECTIONS = 10

describe.skipIf(reason !== null)(`a PostgreSQL that hangs under load ${reason ?? ""}`, () => {
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
      SEARCH_TIMEOUT_MS: String(TIMEOUT_MS),
      INDEX_TIMEOUT_MS: String(TIMEOUT_MS),
      DATABASE_TIMEOUT_MS: String(TIMEOUT_MS),
    })
  })
  afterAll(async () => {
    await server?.kill()
    await cluster?.remove()
    await removeFolder(home)
  })

  test("is answered for within each request's deadline; when it goes on, all serves as before on as many connections", {
    timeout: 240_000,
  }, async () => {
    const answers: (Answered & { readonly during: boolean })[] = []
    const acknowledged: string[] = []
    let isOver = false
    let isHung = false
    let count = 0
    const repeat = async (one: () => Promise<Answered>) => {
      while (!isOver) {
        const during = isHung
        answers.push({ ...(await one()), during })
        await sleep(20)
      }
    }
    const write = async (path: string, body: (id: string) => object | FormData): Promise<Answered> => {
      const id = `doc-${count++}`
      const answer = await ask(server.url, path, body(id))
      if (answer.status < 300 && answer.status > 0) acknowledged.push(id)
      return answer
    }
    const times = (n: number, work: () => Promise<void>) => Array.from({ length: n }, work)
    const search = () => ask(server.url, "/search", { query: `the harbour ${count}` })
    // The first of each loads what it needs: seconds on a busy machine.
    await expect.poll(async () => (await search()).status, { timeout: 30_000 }).toBe(200)
    const first = () => write("/index", (id) => ({ id, content: "The first." }))
    await expect.poll(async () => (await first()).status, { timeout: 30_000 }).toBe(201)
    const load = [
      ...times(CONNECTIONS, () => repeat(search)),
      ...times(3, () => repeat(() => write("/index", (id) => ({ id, content: `The harbour keeps ${id} of it.` })))),
      ...times(2, () => repeat(() => ask(server.url, "/documents?limit=10"))),
      repeat(() => write("/documents", (id) => form(id, `The lighthouse saw ${id} sail.`))),
    ]
    await sleep(2_000)
    await cluster.hang()
    isHung = true
    await sleep(HUNG_MS)
    isHung = false
    await cluster.goOn()
    await sleep(3_000)
    isOver = true
    await Promise.all(load)

    const states = new Set(answers.map(({ status, code }) => `${status} ${code ?? ""}`.trim()))
    const meant = /^20[012]$|^503 database_unavailable$|^504 deadline_exceeded$/
    expect([...states].filter((state) => !meant.test(state))).toEqual([])
    expect(answers.filter(({ ms }) => ms > TIMEOUT_MS + LATE_MS)).toEqual([])
    // Each of the loops was told more than once, and none waited for the end.
    const told = answers.filter(({ during, status }) => during && status >= 503)
    expect(told.length).toBeGreaterThan(load.length)
    expect(states).toContain("503 database_unavailable")

    // More at once than there are connections: a slot that is lost would keep some of them waiting.
    const after = await Promise.all(
      times(CONNECTIONS * 2, async () => void answers.push({ ...(await search()), during: false })),
    )
    expect(answers.slice(-after.length).map(({ status }) => status)).toEqual(after.map(() => 200))
    const [held] = await cluster.query(
      "select count(*)::int as n from pg_stat_activity where application_name = 'concordance' and state <> 'idle'",
    )
    expect(held).toEqual({ n: 0 })
    const left = () => cluster.query("select document_id from concordance.ingest_jobs where state <> 'done'")
    await expect.poll(left, { timeout: 90_000, interval: 500 }).toEqual([])
    const rows = await cluster.query("select id from concordance.documents where status = 'ready'")
    const there = new Set(rows.map(({ id }) => id))
    expect(acknowledged.filter((id) => !there.has(id))).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(3)
    expect(await faultsAt({ home, url: cluster.url })).toEqual({})
  })
})
