import { createHash } from "node:crypto"
import { Agent, request as startRequest } from "node:http"
import { fileURLToPath } from "node:url"
import { openPort } from "../functions/open-port.ts"
import { createServerApp } from "../functions/server-app.ts"
import type { Config } from "../lib/config.ts"
import { deadlineIn } from "../lib/deadline.ts"
import { findBundles } from "../lib/documents/bundles/find-bundles.ts"
import { readBundleIndex } from "../lib/documents/bundles/read-bundle.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import type { Log } from "../lib/log.ts"
import { openRuntime, type Runtime } from "../lib/runtime/open-runtime.ts"
import { percentile, round } from "./metrics.ts"
import { formatTable } from "./table.ts"

/** Times of one route for an id that nobody has and for one of another tenant's, asked in turn. */
export interface LeakTimingFigures {
  readonly target: string
  readonly pairs: number
  /** Medians, ms. */
  readonly missing: number
  readonly foreign: number
  /** How far the second median is from the first, percent. */
  readonly differencePercent: number
  /** Pairs in which the foreign id took longer, and how likely so many or few are by chance (sign test, two sides). */
  readonly foreignSlower: number
  readonly p: number
}

interface LeakTimingBench {
  readonly pairs: number
}

/** Documents of the other tenant, and ids that nobody has. */
const IDS = 50
const SAMPLES = fileURLToPath(new URL("../samples", import.meta.url))
/** Pairs before the first that counts: code is compiled, plans are made. */
const WARM_UP = 100

interface Ask {
  readonly method: string
  readonly path: string
  readonly body?: string
  /** Asked of a document that has pages and pictures. */
  readonly isPaged?: boolean
}

const TARGETS: Readonly<Record<string, (id: string) => Ask>> = {
  document: (id) => ({ method: "GET", path: `/documents/${id}` }),
  chunk: (id) => ({ method: "GET", path: `/documents/${id}/chunks/c0001` }),
  page: (id) => ({ method: "GET", path: `/documents/${id}/pages/1`, isPaged: true }),
  crop: (id) => ({ method: "GET", path: `/crop/${id}/1?chunk=c0001`, isPaged: true }),
  delete: (id) => ({ method: "DELETE", path: `/documents/${id}` }),
  "MCP read_chunk": (id) => ({
    method: "POST",
    path: "/mcp",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "read_chunk", arguments: { citation: `[[${id}#c0001]]` } },
    }),
  }),
}

/**
 * Serves the product on an embedded database in memory and asks it over HTTP, one request at a time: the two of a pair
 * directly after each other, either first in turn, so that whatever else the machine does meets both.
 */
export async function measureLeakTiming(
  { pairs }: LeakTimingBench,
  config: Config,
  log: Log,
): Promise<readonly LeakTimingFigures[]> {
  const runtime = await openRuntime(config, { log, databaseHome: "memory://" })
  const app = createServerApp(runtime, { config, policy: "keys", log })
  const port = await openPort(app, { host: "127.0.0.1", port: 0 })
  const key = await loadTenants(runtime)
  const paged = await loadPages(runtime)
  const client = openClient(port.url, key)
  try {
    const figures: LeakTimingFigures[] = []
    for (const [target, ask] of Object.entries(TARGETS)) {
      const idsOf = ask("").isPaged ? pagedIds(paged) : textIds
      figures.push(await measureTarget(target, idsOf, (id) => client.time(ask(id)), pairs))
    }
    return figures
  } finally {
    client.close()
    await port.close()
    await runtime.close()
  }
}

/** As many documents of both, and a key of the tenant that asks. */
async function loadTenants(runtime: Runtime): Promise<string> {
  for (const [tenant, kind] of [
    ["asker", "own"],
    ["other", "foreign"],
  ] as const) {
    const requests = Array.from({ length: IDS }, (_, at) =>
      IndexRequest.parse({ id: idOf(kind, at), content: `Document ${at} of the harbour.`, embedding: [1, at, 0] }),
    )
    for (const outcome of await runtime.indexDocuments(tenant, requests, deadlineIn(120_000))) {
      if ("failed" in outcome) throw outcome.failed
    }
  }
  return (await runtime.keys.create({ name: "leak timing", tenants: ["asker"] })).key
}

/** A sample with pages and pictures, of the other tenant; its id. */
async function loadPages(runtime: Runtime): Promise<string> {
  const [bundle] = await findBundles(SAMPLES)
  if (!bundle) throw new Error(`${SAMPLES} has no bundle`)
  await runtime.importBundle("other", bundle.path)
  return (await readBundleIndex(bundle.path)).id
}

/** The two ids of a pair: one that nobody has, and one of the other tenant's. */
type IdsOf = (at: number) => readonly [missing: string, foreign: string]

const textIds: IdsOf = (at) => [idOf("missing", at), idOf("foreign", at)]
const pagedIds =
  (paged: string): IdsOf =>
  (at) => [idOf("missing", at).slice(0, paged.length), paged]

/** All of the same length, and in no order. */
function idOf(kind: string, at: number): string {
  return createHash("sha256").update(`${kind} ${at}`).digest("hex")
}

function openClient(url: string, key: string) {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = {
    "x-api-key": key,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  }
  return {
    /** Milliseconds until the last byte of the answer. */
    time: ({ method, path, body }: Ask) =>
      new Promise<number>((resolve, reject) => {
        const began = performance.now()
        const outgoing = startRequest({ hostname, port, agent, method, path, headers }, (incoming) => {
          incoming.resume().on("end", () => resolve(performance.now() - began))
        })
        outgoing.on("error", reject).end(body)
      }),
    close: () => agent.destroy(),
  }
}

async function measureTarget(
  target: string,
  idsOf: IdsOf,
  time: (id: string) => Promise<number>,
  pairs: number,
): Promise<LeakTimingFigures> {
  const missing: number[] = []
  const foreign: number[] = []
  for (let pair = -WARM_UP; pair < pairs; pair++) {
    const ids = idsOf((pair + WARM_UP) % IDS)
    const isMissingFirst = pair % 2 === 0
    const first = await time(ids[isMissingFirst ? 0 : 1])
    const second = await time(ids[isMissingFirst ? 1 : 0])
    if (pair < 0) continue
    missing.push(isMissingFirst ? first : second)
    foreign.push(isMissingFirst ? second : first)
  }
  const medians = { missing: percentile(missing, 50), foreign: percentile(foreign, 50) }
  const slower = foreign.filter((ms, at) => ms > (missing[at] ?? ms)).length
  return {
    ...{ target, pairs, missing: round(medians.missing, 3), foreign: round(medians.foreign, 3) },
    differencePercent: round((medians.foreign / medians.missing - 1) * 100, 2),
    ...{ foreignSlower: slower, p: round(signTest(slower, pairs), 3) },
  }
}

/** Two-sided, by the normal distribution with a correction for continuity: exact enough for hundreds of pairs. */
function signTest(count: number, of: number): number {
  const z = Math.max(0, Math.abs(count - of / 2) - 0.5) / Math.sqrt(of / 4)
  // Abramowitz and Stegun 7.1.26, of z / √2: off by less than 1.5e-7.
  const x = z / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const terms = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592]
  return terms.reduce((sum, term) => (sum + term) * t, 0) * Math.exp(-x * x)
}

/** The figures as a table. */
export function formatLeakTiming(figures: readonly LeakTimingFigures[]): string {
  return formatTable(
    ["target", "pairs", "missing, ms", "foreign, ms", "difference, %", "foreign slower", "p"],
    figures.map((each) => [
      each.target,
      each.pairs,
      each.missing,
      each.foreign,
      each.differencePercent,
      each.foreignSlower,
      each.p,
    ]),
  )
}
