import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { arbitraryRequest, type FuzzRequest, type Known } from "./arbitrary-request.ts"
import { type Contract, readContract } from "./contract.ts"
import { messageOf, troubleOf } from "./judge.ts"
import { knownValues } from "./known-values.ts"
import { createLanes } from "./lanes.ts"
import { createSender, type FuzzAnswer } from "./send.ts"
import { type Fuzzed, startFuzzed } from "./start-fuzzed.ts"

// Requests made from /openapi.json and from what the MCP server lists: as they should be, nearly so, and wild. CI asks the
// same each day; `CONCORDANCE_FUZZ_SEED=random` or a number asks others, `CONCORDANCE_FUZZ_RUNS` more or fewer.

const REQUESTS = Number(setting("CONCORDANCE_FUZZ_RUNS") ?? 20_000)
/** Asked at once: the server has two cores. */
const LANES = 4
/** Before memory is measured for the first time: caches and pools fill, whatever is asked after. */
const WARM_UP = Math.min(2_000, Math.ceil(REQUESTS / 2))
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
const lanes = createLanes()
const answered = new Map<string, { readonly times: number[]; readonly statuses: Map<number, number> }>()

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
  const answer = await lanes.beside(() => sender.send(request))
  // Behind a long answer of another lane, on a machine with other work: what hangs does so when it is asked alone, too.
  const settled = answer.hung ? await lanes.alone(() => sender.send(request)) : answer
  asked++
  tally(request, settled)
  const trouble = settled.hung ? `no answer in ${HANG_MS} ms` : troubleOf(contract, request, settled)
  if (trouble !== null) throw new Error(`${trouble}\n${JSON.stringify(request)}\n${fuzzed.errors().slice(-2_000)}`)
}

function tally({ operation, path }: FuzzRequest, { status, tookMs }: FuzzAnswer): void {
  const name = operation ?? (path.startsWith("/mcp") ? "MCP" : "other paths and methods")
  const { times, statuses } = answered.get(name) ?? { times: [], statuses: new Map<number, number>() }
  times.push(tookMs)
  answered.set(name, { times, statuses: statuses.set(status, (statuses.get(status) ?? 0) + 1) })
}

/** `requests` of them, in lanes with seeds of their own. A failure shrinks, and is printed with seed and request. */
async function askMany(requests: number, seed: number): Promise<void> {
  const asking = Array.from({ length: LANES }, (_, lane) => {
    const property = fc.asyncProperty(arbitraryRequest(contract, known), ask)
    return fc.assert(property, { seed: seed + lane, numRuns: Math.ceil(requests / LANES), endOnFailure: false })
  })
  await Promise.all(asking)
}

/** What was asked how often, the sum and the longest of its times, and how it was answered. */
function table(): string {
  const rows = [...answered].map(([name, { times, statuses }]) => {
    const sum = times.reduce((all, each) => all + each, 0)
    const counts = [...statuses].sort(([one], [two]) => one - two).map(([status, count]) => `${status}: ${count}`)
    return {
      sum,
      row: `${name}: ${times.length}, ${Math.round(sum)} ms, at most ${Math.round(Math.max(...times))} ms; ${counts.join(", ")}`,
    }
  })
  return rows
    .sort((one, two) => two.sum - one.sum)
    .map(({ row }) => row)
    .join("\n")
}

/** Operations and tools of which no answer had a status below 300. */
function unmet(): string[] {
  const isMet = (name: string) => [...(answered.get(name)?.statuses.keys() ?? [])].some((status) => status < 300)
  return [...contract.operations, ...contract.tools.map(({ name }) => ({ name: `tool ${name}` }))]
    .map(({ name }) => name)
    .filter((name) => !isMet(name))
}

test(`${REQUESTS} requests of seed ${SEED} meet no 5xx, no hang, no answer outside of the contract, and no growth of memory`, async () => {
  const began = performance.now()
  await askMany(WARM_UP, SEED + 1_000)
  const before = await fuzzed.measured()
  await askMany(REQUESTS - WARM_UP, SEED)
  const after = await fuzzed.measured()
  const figures = [
    `${asked} requests in ${Math.round((performance.now() - began) / 1_000)} s`,
    `${Math.round((after.cpuMs - before.cpuMs) / 1_000)} s of the server's CPU after the warm-up`,
    `${before.bytes} then ${after.bytes} bytes`,
    `${sender.retries()} kept connections gone`,
  ]
  process.stdout.write(`${figures.join(", ")}\n${table()}\n`)
  expect(asked).toBeGreaterThanOrEqual(REQUESTS)
  // Where nothing was answered as wished, nothing was asked but the edge. Few requests may well miss some.
  if (REQUESTS >= 20_000) expect(unmet()).toEqual([])
  expect(after.bytes - before.bytes).toBeLessThan(GROWTH_BYTES_MAX)
  const alive = await fetch(`${fuzzed.url}/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "harbour" }),
  })
  expect([fuzzed.isAlive(), alive.status]).toEqual([true, 200])
})
