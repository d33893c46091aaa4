import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openPglite } from "../../lib/database/pglite.ts"
import { faultsAt } from "./faultless.ts"
import { ask, form, makeHome, numbered, removeFolder, type ServerProcess, startServer } from "./server-process.ts"

let home: string
let models: ServerProcess
let server: ServerProcess
const startModels = (port = "0") => startServer({ CONCORDANCE_HOME: home, PORT: port }, "functions/inference/server.ts")
beforeAll(async () => {
  home = await makeHome()
  models = await startModels()
  server = await startServer({ CONCORDANCE_HOME: home, EMBED_SERVICE_URL: models.url, EMBED_TIMEOUT_MS: "2000" })
})
afterAll(async () => {
  await server?.kill()
  await models?.kill()
  await removeFolder(home)
})

const batch = (name: string) =>
  Array.from({ length: 200 }, (_, i) =>
    JSON.stringify({ id: `${name}-${i}`, content: numbered(`of ${name}-${i}: the keeper trims the lamp`, 8) }),
  ).join("\n")

async function send(name: string): Promise<{ readonly status: number; readonly lines: Record<string, unknown>[] }> {
  const headers = { "content-type": "application/x-ndjson" }
  const response = await fetch(`${server.url}/index/batch`, { method: "POST", headers, body: batch(name) })
  const text = await response.text()
  return {
    status: response.status,
    lines: text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}

test("killed in mid-batch: what was acknowledged is there, the rest failed as unavailable; searches go on by words; ingestion resumes", async () => {
  expect((await ask(server.url, "/index", { id: "first", content: "The keeper trims the lamp." })).status).toBe(201)
  const sending = send("broken")
  await sleep(700)
  await models.kill()
  const { lines } = await sending
  const failed = lines.filter((line) => line["status"] !== "indexed" && "code" in line)
  for (const { code } of failed) expect(code).toBe("inference_unavailable")

  const found = await ask(server.url, "/search", { query: "who trims the lamp" })
  expect(found.status).toBe(200)
  expect(found.body["degraded"]).toBeDefined()
  expect(found.body["count"]).toBeGreaterThan(0)
  const refused = await ask(server.url, "/index", { id: "second", content: "The lamp is out." })
  expect(refused).toMatchObject({ status: 503, code: "inference_unavailable" })
  expect((await ask(server.url, "/documents", form("upload", "The lamp was lit again."))).status).toBe(202)
  await sleep(8_000)
  expect((await ask(server.url, "/documents/upload")).body["status"]).not.toBe("failed")

  models = await startModels(new URL(models.url).port)
  await expect
    .poll(async () => (await ask(server.url, "/documents/upload")).body["status"], { timeout: 90_000, interval: 300 })
    .toBe("ready")
  expect((await ask(server.url, "/index", { id: "second", content: "The lamp is out." })).status).toBe(201)
  expect((await ask(server.url, "/search", { query: "who trims the lamp" })).body["degraded"]).toBeUndefined()
  expect((await send("broken")).status).toBe(200)

  await server.kill("SIGTERM")
  const { database, owner } = await openPglite({ home })
  const query = (text: string) => owner.session((session) => session.query(text))
  const [row] = await query(
    "select count(*)::int as documents from concordance.documents where status = 'ready' and source_account_id = 'primary'",
  )
  expect(row).toEqual({ documents: 203 })
  const [missing] = await query(
    "select count(*)::int as chunks from concordance.chunks c where searchable and not exists (select from concordance.embeddings e where e.chunk_key = c.key)",
  )
  expect(missing).toEqual({ chunks: 0 })
  await database.close()
  expect(await faultsAt({ home })).toEqual({})
})
