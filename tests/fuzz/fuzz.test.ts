import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { arbitraryRequest, type FuzzRequest, type Known } from "./arbitrary-request.ts"
import { type Contract, readContract } from "./contract.ts"
import { messageOf, troubleOf } from "./judge.ts"
import { knownValues } from "./known-values.ts"
import { createSender } from "./send.ts"
import { type Fuzzed, startFuzzed } from "./start-fuzzed.ts"

// Requests made from /openapi.json and from what the MCP server lists: as they should be, nearly so, and wild. CI asks the
// same each day; `CONCORDANCE_FUZZ_SEED=random` or a number asks others, `CONCORDANCE_FUZZ_RUNS` more or fewer.

const REQUESTS = Number(setting("CONCORDANCE_FUZZ_RUNS") ?? 20_000)
/** Asked at once: the server has two cores. */
const LANES = 4
/** Before memory is measured for the first time: caches and pools fill. */
const WARM_UP = Math.ceil(REQUESTS / 10)
const HANG_MS = 5_000
const GROWTH_BYTES_MAX = 100_000_000
const SEED = seedOf(setting("CONCORDANCE_FUZZ_SEED"))

function setting(name: string): string | undefined {
  // biome-ignore lint/style/noProcessEnv: how whoever runs the tests says what to ask
  return process.env[name] || undefined
}

/** The same in CI, so that a failure there is one of the change. */
function seedOf(said: string | undefined): number {
  return said === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(said ?? 3825)
}

let fuzzed: Fuzzed
let contract: Contract
let sender: ReturnType<typeof createSender>
let known: Known
let asked = 0
const times = new Map<string, number>()
const statuses = new Map<string, number>()

beforeAll(async () => {
  fuzzed = await startFuzzed()
  sender = createSender(fuzzed.url, HANG_MS)
  const get = async (path: string) => (await fetch(`${fuzzed.url}${path}`)).json()
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const post = async (path: string, body: object) =>
    (await fetch(`${fuzzed.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).text()
  const listing = messageOf(await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }))
  contract = readContract(await get("/openapi.json"), (listing as { result: Pick<Contract, "tools"> }).result.tools)
  known = await knownValues(get)
  // What loads its modules by its first use (LangGraph, the highlighter) does so before anybody is timed.
  for (const path of ["/answer", "/chat"]) await post(path, { question: "Who built the ice house?" })
  await fetch(`${fuzzed.url}/answer/graph`).then((each) => each.text())
})
afterAll(async () => {
  sender.close()
  await fuzzed.close()
})

async function ask(request: FuzzRequest): Promise<void> {
  const answer = await sender.send(request)
  // Behind a long answer of another lane, on a machine with other work: what hangs does so when it is asked alone, too.
  const settled = answer.hung ? await sender.send(request) : answer
  asked++
  const kind = `${request.operation ?? request.path.split(/[?/]/).slice(0, 2).join("/")} ${settled.status}`
  statuses.set(kind, (statuses.get(kind) ?? 0) + 1)
  times.set(kind, (times.get(kind) ?? 0) + settled.tookMs)
  if (settled.status === 400 && process.env['FZ']) process.stdout.write(`\nBAD ${kind} ${settled.body.slice(0,300)}`)
  const trouble = settled.hung ? `no answer in ${HANG_MS} ms` : troubleOf(contract, request, settled)
  if (trouble !== null) throw new Error(`${trouble}\n${JSON.stringify(request)}\n${fuzzed.errors().slice(-2_000)}`)
}

/** `requests` of them, in lanes with seeds of their own. A failure shrinks, and is printed with seed and request. */
async function askMany(requests: number, seed: number): Promise<void> {
  const lanes = Array.from({ length: LANES }, (_, lane) => {
    const property = fc.asyncProperty(arbitraryRequest(contract, known), ask)
    return fc.assert(property, { seed: seed + lane, numRuns: Math.ceil(requests / LANES), endOnFailure: false })
  })
  await Promise.all(lanes)
}

test(`${REQUESTS} requests of seed ${SEED} meet no 5xx, no hang, no answer outside of the contract, and no growth of memory`, async () => {
  const began = performance.now()
  await askMany(WARM_UP, SEED + 1_000)
  const before = await fuzzed.memory()
  await askMany(REQUESTS - WARM_UP, SEED)
  const after = await fuzzed.memory()
  const table = [...statuses].sort().map(([kind, count]) => `${kind}: ${count} ${Math.round(times.get(kind) ?? 0)} ms`)
  process.stdout.write(
    `fuzz: ${asked} requests in ${Math.round((performance.now() - began) / 1000)} s, ${before} then ${after} bytes\n${table.join("\n")}`,
  )
  expect(asked).toBeGreaterThanOrEqual(REQUESTS)
  expect(after - before).toBeLessThan(GROWTH_BYTES_MAX)
  const alive = await fetch(`${fuzzed.url}/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "harbour" }),
  })
  expect([fuzzed.isAlive(), alive.status]).toEqual([true, 200])
})
