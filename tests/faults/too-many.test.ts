import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ask, makeHome, removeFolder, type ServerProcess, startServer } from "./server-process.ts"

const TENANTS = ["a", "b", "c", "d", "e"]
const TIMEOUT_MS = 20_000

let home: string
let server: ServerProcess
beforeAll(async () => {
  home = await makeHome()
  server = await startServer({
    CONCORDANCE_HOME: home,
    SEARCHES_PER_TENANT_MAX: "6",
    INFERENCE_QUEUE_MAX: "4",
    DATABASE_QUEUE_MAX: "8",
    SEARCH_TIMEOUT_MS: String(TIMEOUT_MS),
  })
  for (const tenant of TENANTS) {
    for (let i = 0; i < 5; i++) {
      const document = { id: `d${i}`, content: `The tide at harbour ${i} comes late.`, source_account_id: tenant }
      expect((await ask(server.url, "/index", document)).status).toBe(201)
    }
  }
})
afterAll(async () => {
  await server?.kill()
  await removeFolder(home)
})

const search = (n: number) =>
  ask(server.url, "/search", {
    query: `tide ${n} at the harbour`,
    strategy: n % 2 ? "rrf" : "lexical",
    source_account_id: TENANTS[n % TENANTS.length],
  })

/** Of the server, kB: `VmRSS` now, `VmHWM` the most that it ever had. */
async function memory(name: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${server.child.pid}/status`, "utf8")
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1])
}

// Without functions/arrivals.ts all 500 were answered, the last after 9 s on an idle machine and 91 s on a busy one.
test("500 searches at once, each on a connection of its own, are answered, refused or shed within their deadline and in bounded memory; then it serves as before", async () => {
  expect(await search(1)).toMatchObject({ status: 200, body: { count: 5 } })
  const before = await memory("VmRSS")
  const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => search(n)))
  const of = (status: number) => answers.filter((answer) => answer.status === status)
  expect(of(200).length + of(429).length + of(503).length).toBe(500)
  // The database takes eight units of work at once; places of five tenants are six each, and as many again wait.
  expect(of(200).length).toBeGreaterThanOrEqual(8)
  expect(of(429).length).toBeGreaterThan(100)
  expect(of(503).length).toBeGreaterThan(0)
  for (const { code, retryAfter } of of(429)) expect([code, retryAfter]).toEqual(["too_many_at_once", "1"])
  for (const { code, retryAfter } of of(503)) expect([code, retryAfter]).toEqual(["overloaded", "2"])
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(TIMEOUT_MS + 1_000)
  expect((await memory("VmHWM")) - before).toBeLessThan(200_000)
  for (const n of TENANTS.keys()) expect(await search(n)).toMatchObject({ status: 200, body: { count: 5 } })
  expect(server.log()).not.toContain('"level":"error"')
})
