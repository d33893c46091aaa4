import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Problem } from "../../functions/http/problem.ts"
import { arbitraryRequest, type FuzzRequest } from "./arbitrary-request.ts"
import { type Contract, readContract } from "./contract.ts"
import { createSender, type FuzzAnswer } from "./send.ts"
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
let known: Readonly<Record<string, readonly string[]>>
let asked = 0
const statuses = new Map<string, number>()

beforeAll(async () => {
  fuzzed = await startFuzzed()
  sender = createSender(fuzzed.url, HANG_MS)
  // A connection that rested while a model ran may be closed when it is taken up again.
  const asking = (path: string, init?: RequestInit) =>
    fetch(`${fuzzed.url}${path}`, init).catch(() => fetch(`${fuzzed.url}${path}`, init))
  const get = async (path: string) => (await asking(path)).json()
  const listing = { jsonrpc: "2.0", id: 1, method: "tools/list" }
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const listed = await asking("/mcp", { method: "POST", headers, body: JSON.stringify(listing) })
  const tools = JSON.parse(/^data: ?(\{.*)$/m.exec(await listed.text())?.[1] ?? "{}") as {
    result: { tools: Contract["tools"] }
  }
  // What loads its modules by its first use does so before anybody is timed.
  const first = { question: "Who built the ice house?" }
  for (const path of ["/answer", "/chat"]) {
    await asking(path, { method: "POST", headers, body: JSON.stringify(first) }).then((each) => each.text())
  }
  await asking("/answer/graph").then((each) => each.text())
  contract = readContract(await get("/openapi.json"), tools.result.tools)
  const { documents, next_cursor } = (await get("/documents?limit=30")) as {
    documents: { id: string }[]
    next_cursor?: string
  }
  const ids = documents.map(({ id }) => id)
  const entities = (await get("/entities")) as { entities: { id: string }[] }
  known = {
    id: [...ids, ...entities.entities.map(({ id }) => id)],
    ...{ document: ids, document_id: ids, chunk: ["c0001", "c0002", "p0001"], chunk_id: ["c0001"], page: ["1", "2"] },
    ...{
      table: ["1.csv", "2.csv"],
      cursor: [next_cursor ?? "x"],
      query: ["harbour", "ice house"],
      question: ["Who built the ice house?"],
    },
    ...{
      citation: ids.map((id) => `[[${id}#c0001]]`),
      bbox: ["0,0,1,1", "0.1,0.1,0.2,0.2"],
      width: ["200"],
      source_account_id: ["primary"],
    },
  }
})
afterAll(async () => {
  sender.close()
  await fuzzed.close()
})

/** What is wrong with an answer; null where nothing is. */
function troubleOf(request: FuzzRequest, answer: FuzzAnswer): string | null {
  const { status, type, body } = answer
  if (answer.hung) return `no answer in ${HANG_MS} ms`
  if (status >= 500) return `status ${status}: ${body.slice(0, 500)}`
  // Node's own parser refuses what is no HTTP, without a body.
  if (request.method === "HEAD" || (status === 400 && body === "")) return null
  if (request.path.startsWith("/mcp"))
    return /-32603|"text":"internal: /.test(body) ? `an internal failure: ${body.slice(0, 500)}` : null
  if (status >= 400) {
    if (type !== "application/problem+json") return `status ${status} is ${type}, no problem`
    if (!Problem.safeParse(JSON.parse(body)).success) return `no problem by the contract: ${body.slice(0, 500)}`
  }
  const operation = contract.operations.find(({ name }) => name === request.operation)
  return operation?.problemWith(status, type, body) ?? null
}

async function ask(request: FuzzRequest): Promise<void> {
  const answer = await sender.send(request)
  // Behind a long answer of another lane, on a machine with other work: what hangs does so when it is asked alone, too.
  const settled = answer.hung ? await sender.send(request) : answer
  asked++
  const kind = `${request.operation ?? request.path.split(/[?/]/).slice(0, 2).join("/")} ${settled.status}`
  statuses.set(kind, (statuses.get(kind) ?? 0) + 1)
  const trouble = troubleOf(request, settled)
  if (trouble !== null) throw new Error(`${trouble}\n${JSON.stringify(request)}\n${fuzzed.errors().slice(-2_000)}`)
}

/** `requests` of them, in lanes with seeds of their own. A failure shrinks, and is printed with seed and request. */
async function askMany(requests: number, seed: number): Promise<void> {
  const making = { components: contract.components, known: (name: string) => known[name] ?? [] }
  const lanes = Array.from({ length: LANES }, (_, lane) => {
    const property = fc.asyncProperty(arbitraryRequest(contract, making), ask)
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
  const table = [...statuses].sort().map(([kind, count]) => `${kind}: ${count}`)
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
