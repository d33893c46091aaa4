import { request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, expect, test } from "vitest"
import { faultsAt } from "./faultless.ts"
import { ask, form, makeHome, removeFolder, type ServerProcess, startServer, WITHOUT_MODELS } from "./server-process.ts"

const DELAY_MS = 2_000

let home: string
let server: ServerProcess | undefined
afterEach(async () => {
  await server?.kill()
  await removeFolder(home)
})

async function open(environment: Record<string, string> = {}): Promise<ServerProcess> {
  home = await makeHome()
  server = await startServer({ ...WITHOUT_MODELS, CONCORDANCE_HOME: home, ...environment })
  return server
}

/** A batch that sends its second line when it is told to. */
function openBatch(url: string) {
  const sending = request(`${url}/index/batch`, { method: "POST", headers: { "content-type": "application/x-ndjson" } })
  sending.write(`${JSON.stringify({ id: "early", content: "The lamp is lit." })}\n`)
  const answered = new Promise<{ status: number; connection: string | undefined; text: string }>((resolve, reject) => {
    sending.on("error", reject)
    sending.on("response", (response) => {
      let text = ""
      response.on("data", (data) => (text += data))
      response.on("error", reject)
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection, text }),
      )
    })
  })
  answered.catch(() => undefined)
  return { answered, finish: () => sending.end(`${JSON.stringify({ id: "late", content: "The lamp is out." })}\n`) }
}

test("on SIGTERM readiness fails first, while requests are still taken; then new ones are refused, what is under way finishes, and uploads wait for the next start", async () => {
  const { url, kill, log } = await open({ SHUTDOWN_DELAY_MS: String(DELAY_MS) })
  expect((await ask(url, "/health/ready")).status).toBe(200)
  const batch = openBatch(url)
  // Each page of it is a paragraph of its own: some are read before the signal, some after it.
  const text = Array.from({ length: 400 }, (_, i) => `Entry ${i}: the keeper trims the lamp and writes it down.`)
  expect((await ask(url, "/documents", form("log", text.join("\n\n")))).status).toBe(202)
  const ended = kill("SIGTERM")
  await sleep(200)
  expect(await ask(url, "/health/ready")).toMatchObject({ status: 503, body: { status: "unhealthy" } })
  expect((await ask(url, "/health/live")).status).toBe(200)
  expect((await ask(url, "/health")).status).toBe(200)
  const search = await fetch(`${url}/search`, {
    method: "POST",
    body: '{"query":"lamp"}',
    headers: { "content-type": "application/json" },
  })
  expect(search.status).toBe(200)
  // A kept connection would bring its client back to a process that is on its way out.
  expect(search.headers.get("connection")).toBe("close")
  await sleep(DELAY_MS)
  expect((await ask(url, "/health/live")).status).toBe(0)
  batch.finish()
  const { status, text: results } = await batch.answered
  expect(status).toBe(200)
  expect(results.match(/"indexed"/g)).toHaveLength(2)
  expect(await ended).toBe(0)
  expect(log()).not.toContain('"level":"error"')

  server = await startServer({ ...WITHOUT_MODELS, CONCORDANCE_HOME: home })
  const { url: next } = server
  await expect
    .poll(async () => (await ask(next, "/documents/log")).body["status"], { timeout: 120_000, interval: 300 })
    .toBe("ready")
  await server.kill("SIGTERM")
  expect(await faultsAt({ home })).toEqual({})
})

test("a request that never ends is cut off after SHUTDOWN_GRACE_MS, and the process ends", async () => {
  const { url, kill, log } = await open({ SHUTDOWN_GRACE_MS: "1000" })
  const batch = openBatch(url)
  await sleep(300)
  const began = performance.now()
  expect(await kill("SIGTERM")).toBe(0)
  expect(performance.now() - began).toBeLessThan(8_000)
  await expect(batch.answered).rejects.toThrow()
  expect(log()).toContain("longer than SHUTDOWN_GRACE_MS")
})
