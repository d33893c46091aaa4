import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openServerOwner } from "../../lib/database/open-server.ts"
import { createKeyRing } from "../../lib/keys/key-ring.ts"
import { faultsAt } from "./faultless.ts"
import { openCluster, type PrivateCluster, whyNoCluster } from "./private-cluster.ts"
import { ask, form, makeHome, removeFolder, type ServerProcess, startServer, WITHOUT_MODELS } from "./server-process.ts"

const LIBRARY = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketime.so.1`
const reason = existsSync(LIBRARY) ? whyNoCluster() : "SKIPPED: no libfaketime here (apt-get install libfaketime)"

/** Requests a minute of one key. */
const RATE = 2

/** How far the service's clock is from the database's, one after the other, in one life of the process. */
const JUMPS = ["+0", "+1d", "-1d", "+0"]

describe.skipIf(reason !== null)(`a clock that jumps by a day ${reason ?? ""}`, () => {
  let cluster: PrivateCluster
  let server: ServerProcess
  let home: string
  let clock: string
  let start: () => Promise<ServerProcess>
  let owner: Awaited<ReturnType<typeof openServerOwner>>
  const keys: Record<string, string> = {}
  beforeAll(async () => {
    cluster = await openCluster()
    home = await makeHome(undefined, { isMigrated: false })
    clock = join(home, "clock")
    await writeFile(clock, "+0")
    const settings = { ...WITHOUT_MODELS, CONCORDANCE_HOME: home, DATABASE_URL: cluster.url }
    const first = await startServer({ ...settings, CONCORDANCE_SERVE_WITHOUT_KEYS: "true" })
    await first.kill()
    owner = await openServerOwner({ url: cluster.url })
    for (const name of ["lasting", "ended"]) keys[name] = (await createKeyRing(owner).create({ name })).key
    keys["rated"] = (await createKeyRing(owner).create({ name: "rated", ratePerMinute: RATE })).key
    await cluster.query(
      "update concordance.api_keys set expires_at = now() + case name when 'ended' then -1 else 1 end * interval '1 hour'",
    )
    start = () =>
      startServer({
        ...settings,
        RETENTION_DAYS: "1",
        LD_PRELOAD: LIBRARY,
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_NO_CACHE: "1",
        // Timers run on; it is the time of day that somebody sets.
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
        DONT_FAKE_MONOTONIC: "1",
      })
    server = await start()
  })
  afterAll(async () => {
    await server?.kill()
    await owner?.close()
    await cluster?.remove()
    await removeFolder(home)
  })

  const asked = (path: string, name: string, body?: object | FormData) =>
    ask(server.url, path, body, { "x-api-key": keys[name] ?? "" })

  test("opens no new minute of a key's rate", async () => {
    const minutesSince = async (began: unknown) => {
      const [row] = await cluster.query(
        `select floor(extract(epoch from clock_timestamp() - '${String(began)}'::timestamptz) / 60)::int as n`,
      )
      return Number(row?.["n"])
    }
    const [from] = await cluster.query("select clock_timestamp()::text as at")
    const statuses: number[] = []
    for (const jump of JUMPS) {
      await writeFile(clock, jump)
      for (let i = 0; i < RATE + 1; i++) statuses.push((await asked("/search", "rated", { query: "lamp" })).status)
    }
    const most = RATE * (1 + (await minutesSince(from?.["at"])))
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(RATE)
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(most)
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  })

  test("deletes nothing before the retention is over, in the sweep of a start and of writes", async () => {
    // Half a day old by the database's clock; by the service's, at +1d, one and a half.
    expect((await asked("/index", "lasting", { id: "kept", content: "Kept for a day." })).status).toBe(201)
    expect((await asked("/index", "lasting", { id: "over", content: "Over for an hour." })).status).toBe(201)
    await cluster.query(
      "update concordance.documents set updated_at = now() - case id when 'kept' then 12 else 25 end * interval '1 hour' where id in ('kept', 'over')",
    )
    await server.kill()
    await writeFile(clock, "+1d")
    server = await start()
    const status = async (id: string) => (await asked(`/documents/${id}`, "lasting")).status
    await expect.poll(() => status("over"), { timeout: 60_000, interval: 200 }).toBe(404)
    expect(await status("kept")).toBe(200)
    await writeFile(clock, "+0")
  })

  test("leaves keys, leases and ingestion to the database's clock: nothing expires early, lives on, is stolen or done twice", async () => {
    // Another process works on it, and its lease has nine minutes left.
    await cluster.query(`
      insert into concordance.documents (source_account_id, id, status) values ('primary', 'theirs', 'processing');
      insert into concordance.ingest_jobs (source_account_id, document_id, generation, upload_key, file_name, bytes, options, state, worker, attempts, lease_until)
      values ('primary', 'theirs', 1, 'uploads/x', 'x.txt', 1, '{}', 'processing', 'them', 1, now() + interval '9 minutes')`)
    for (const [i, jump] of JUMPS.entries()) {
      await writeFile(clock, jump)
      expect(await asked("/search", "lasting", { query: "lamp" })).toMatchObject({ status: 200 })
      expect((await asked("/search", "ended", { query: "lamp" })).status).toBe(401)
      const id = `upload-${i}`
      expect((await asked("/documents", "lasting", form(id, `The keeper trims lamp ${i}.`))).status).toBe(202)
      expect((await asked("/index", "lasting", { id: `doc-${i}`, content: `Lamp ${i} is lit.` })).status).toBe(201)
      await expect
        .poll(async () => (await asked(`/documents/${id}`, "lasting")).body["status"], {
          timeout: 30_000,
          interval: 200,
        })
        .toBe("ready")
    }
    const jobs = await cluster.query(
      "select document_id, worker, attempts, state from concordance.ingest_jobs order by 1",
    )
    expect(jobs.find((job) => job["document_id"] === "theirs")).toMatchObject({ worker: "them", attempts: 1 })
    await cluster.query("delete from concordance.documents where id = 'theirs'")
    expect(await faultsAt({ home, url: cluster.url })).toEqual({})
  })
})
