import { readFile } from "node:fs/promises"
import { type FauxqsServer, startFauxqs } from "fauxqs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openPglite } from "../../lib/database/pglite.ts"
import { createS3Store } from "../../lib/objects/s3-store.ts"
import { type Fault, type FaultProxy, startFaultProxy } from "./fault-proxy.ts"
import { faultsOf } from "./faultless.ts"
import {
  ask,
  form,
  makeHome,
  numbered,
  removeFolder,
  type ServerProcess,
  startServer,
  WITHOUT_MODELS,
} from "./server-process.ts"

const PDF = new URL("../../samples/en/ice-house-report-1936.pdf", import.meta.url)
const FAULTS: readonly Fault[] = ["internal", "slow down", "reset", "stall", "short"]
const TIMEOUT_MS = 6_000
const LATE_MS = 3_000

const storeOf = (endpoint: string) =>
  createS3Store({ bucket: "archive", endpoint, credentials: { accessKeyId: "test", secretAccessKey: "test" } })

let home: string
let emulator: FauxqsServer
let proxy: FaultProxy
let server: ServerProcess
beforeAll(async () => {
  emulator = await startFauxqs({ port: 0, logger: false, host: "127.0.0.1" })
  emulator.createBucket("archive")
  proxy = await startFaultProxy(emulator.port)
  home = await makeHome()
  server = await startServer({
    ...WITHOUT_MODELS,
    CONCORDANCE_HOME: home,
    OBJECT_STORE_BUCKET: "archive",
    OBJECT_STORE_ENDPOINT: proxy.url,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    SEARCH_TIMEOUT_MS: String(TIMEOUT_MS),
  })
})
afterAll(async () => {
  await server?.kill()
  await proxy?.close()
  await emulator?.stop()
  await removeFolder(home)
})

async function pdf(id: string): Promise<FormData> {
  const data = new FormData()
  data.set("id", id)
  data.set("file", new File([new Uint8Array(await readFile(PDF))], `${id}.pdf`, { type: "application/pdf" }))
  return data
}

const stateOf = async (id: string) => (await ask(server.url, `/documents/${id}`)).body["status"]
const isReady = (id: string) => expect.poll(() => stateOf(id), { timeout: 90_000, interval: 300 }).toBe("ready")
const image = (id: string) => fetch(`${server.url}/documents/${id}/pages/1/image`)
const crop = (id: string) => ask(server.url, `/crop/${id}/1?bbox=0.1,0.1,0.5,0.5`)

let whole: Buffer
test("without a fault an upload is read, and its page shown", async () => {
  expect((await ask(server.url, "/documents", await pdf("book"))).status).toBe(202)
  await isReady("book")
  whole = Buffer.from(await (await image("book")).arrayBuffer())
  expect(whole.length).toBeGreaterThan(1_000)
  expect((await crop("book")).status).toBe(200)
})

test.each(FAULTS.filter((fault) => fault !== "stall"))(
  "a read that meets “%s” once is repeated: the whole picture comes",
  async (fault) => {
    proxy.break((method, _, count) => (method === "GET" && count < 1 ? fault : null))
    const body = Buffer.from(await (await image("book")).arrayBuffer())
    expect(proxy.met()).toBe(1)
    expect(body.equals(whole)).toBe(true)
    proxy.heal()
  },
)

test.each(FAULTS)(
  "a read that meets “%s” every time is a 503 or 504 within the deadline, and none of the picture",
  async (fault) => {
    proxy.break((method) => (method === "GET" ? fault : null))
    for (const answer of [await crop("book"), await ask(server.url, "/documents/book/pages/1/image")]) {
      expect([503, 504]).toContain(answer.status)
      expect(["storage_unavailable", "deadline_exceeded"]).toContain(answer.code)
      expect(answer.ms).toBeLessThan(TIMEOUT_MS + LATE_MS)
    }
    proxy.heal()
    expect((await crop("book")).status).toBe(200)
  },
)

test.each(["internal", "slow down", "reset"] as const)(
  "an upload whose store answers “%s” is a 503 and leaves nothing; once more, it is taken",
  async (fault) => {
    const id = `upload-${fault.replace(" ", "-")}`
    const text = (round: string) => form(id, numbered(`of the register, ${round}`, 2_000))
    proxy.break((method) => (method === "PUT" ? fault : null))
    expect(await ask(server.url, "/documents", text(fault))).toMatchObject({ status: 503, code: "storage_unavailable" })
    expect((await ask(server.url, `/documents/${id}`)).status).toBe(404)
    proxy.heal()
    expect((await ask(server.url, "/documents", text(fault))).status).toBe(202)
    await isReady(id)
  },
)

test("pages that can't be stored wait: no half picture is published, and the file is read when the store is back", async () => {
  const sent = Date.now()
  // The upload itself comes through; pictures of its pages break off in the middle.
  proxy.break((method, path) => (method === "PUT" && path.includes("/pages/") ? "reset" : null))
  expect((await ask(server.url, "/documents", await pdf("later"))).status).toBe(202)
  // Longer than the three attempts of a file that is at fault itself take.
  await expect.poll(() => proxy.met() > 12 || Date.now() - sent > 40_000, { timeout: 60_000 }).toBe(true)
  expect(proxy.met()).toBeGreaterThan(3)
  expect(["queued", "processing"]).toContain(await stateOf("later"))
  proxy.heal()
  await isReady("later")
  expect(Buffer.from(await (await image("later")).arrayBuffer()).equals(whole)).toBe(true)
})

test("afterwards nothing is lost, twice or left over", async () => {
  await server.kill("SIGTERM")
  const { database, owner } = await openPglite({ home })
  expect(await faultsOf({ database, owner, objects: storeOf(proxy.url) })).toEqual({})
  await database.close()
})
