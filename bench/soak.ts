import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import pg from "pg"
import { readInstalledCorpus } from "./installed-corpus.ts"
import { describeMachine } from "./machine.ts"
import { percentile, round } from "./metrics.ts"
import { type Kind, measureCapacity, runAtRate, type Sent } from "./soak-load.ts"
import { type SoakSample, slopeOf, takeSample } from "./soak-samples.ts"
import { startSoakServer } from "./soak-server.ts"

// `npm run soak -- --database URL`: the Node server under mixed load at 80 % of what it can do (bench/README.md).

const { values: options } = parseArgs({
  options: {
    database: { type: "string" },
    minutes: { type: "string", default: "30" },
    rate: { type: "string" },
    passages: { type: "string", default: "3000" },
    home: { type: "string", default: ".concordance" },
  },
})

const SHARE_OF_CAPACITY = 0.8
const CALLERS = 8
const CAPACITY_S = 20
const SAMPLE_S = 10
/** Documents that are written over and over: what is measured is a service at rest, not one that fills. */
const WRITTEN_OVER = 500
const TENANT = "soak"
const PDF = new URL("../samples/en/ice-house-report-1936.pdf", import.meta.url)

const write = (line: string) => void process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  if (!options.database)
    throw new Error("--database names the PostgreSQL to run on, as its owner; .ci/postgres starts one")
  const client = new pg.Client({ connectionString: options.database })
  await client.connect()
  const server = await startSoakServer(options.database, options.home)
  try {
    const { corpus, questions } = await readInstalledCorpus("node_modules")
    const passages = corpus.slice(0, Number(options.passages)).map(({ text }) => text)
    await fillLibrary(server.url, passages)
    const kinds = mixOf(server.url, passages, questions)
    // What has never been asked is slower: the first seconds load code and warm caches.
    await measureCapacity(kinds, CALLERS, CAPACITY_S / 4)
    const capacity = await measureCapacity(kinds, CALLERS, CAPACITY_S)
    const rate = options.rate ? Number(options.rate) : capacity * SHARE_OF_CAPACITY
    write(`${describeMachine()}\ncapacity ${round(capacity, 1)}/s with ${CALLERS} callers; load ${round(rate, 1)}/s`)
    const sent: Sent[] = []
    const samples: SoakSample[] = []
    const seconds = Number(options.minutes) * 60
    const isOver = new AbortController()
    const looking = look(server.pid, client, samples, isOver.signal)
    await runAtRate(kinds, rate, seconds, (one) => sent.push(one))
    isOver.abort()
    await looking
    report(kinds, sent, samples)
    if (sent.some(({ status }) => !isGood(status))) process.exitCode = 1
  } finally {
    await server.close()
    await client.end()
  }
}

const isGood = (status: number) => status >= 200 && status < 300

async function look(pid: number, client: pg.Client, samples: SoakSample[], over: AbortSignal): Promise<void> {
  const began = performance.now()
  while (!over.aborted) {
    const sample = await takeSample(pid, client, Math.round((performance.now() - began) / 1_000))
    samples.push(sample)
    const { second, rssMb, handles, connections } = sample
    if (samples.length % 6 === 1) write(`${second} s: ${rssMb} MB, ${handles} handles, ${connections} connections`)
    await sleep(SAMPLE_S * 1_000, undefined, { signal: over }).catch(() => undefined)
  }
}

async function fillLibrary(url: string, passages: readonly string[]): Promise<void> {
  const lines = passages.map((content, i) => JSON.stringify({ id: `passage-${i}`, source_account_id: TENANT, content }))
  const headers = { "content-type": "application/x-ndjson" }
  const indexed = await fetch(`${url}/index/batch`, { method: "POST", headers, body: lines.join("\n") })
  const failed = (await indexed.text()).split("\n").filter((line) => line.includes('"failed"'))
  if (!indexed.ok || failed.length > 0)
    throw new Error(`the library can't be filled: ${indexed.status} ${failed[0] ?? ""}`)
  const form = new FormData()
  form.set("id", "book")
  form.set("source_account_id", TENANT)
  form.set("file", new File([new Uint8Array(await readFile(PDF))], "book.pdf", { type: "application/pdf" }))
  await fetch(`${url}/documents`, { method: "POST", body: form })
  for (let tries = 0; tries < 600; tries++) {
    const found = await fetch(`${url}/documents/book?source_account_id=${TENANT}`)
    if (((await found.json()) as { status?: string }).status === "ready") return
    await sleep(200)
  }
  throw new Error("the book for the crops was not read within two minutes")
}

function mixOf(url: string, passages: readonly string[], questions: readonly string[]): readonly Kind[] {
  const ask = async (path: string, body?: object): Promise<number> => {
    const headers = { "content-type": "application/json" }
    try {
      const response = await fetch(url + path, body && { method: "POST", headers, body: JSON.stringify(body) })
      await response.arrayBuffer()
      return response.status
    } catch {
      return 0
    }
  }
  const scoped = { source_account_id: TENANT }
  // Never twice the same crop in a row: what a cache would answer measures nothing.
  const box = (n: number) => `0.1,${((n % 40) / 100).toFixed(2)},0.9,${((n % 40) / 100 + 0.3).toFixed(2)}`
  return [
    { name: "search", share: 70, send: (n) => ask("/search", { ...scoped, query: questions[n % questions.length] }) },
    {
      name: "index",
      share: 10,
      send: (n) =>
        ask("/index", {
          ...scoped,
          id: `written-${n % WRITTEN_OVER}`,
          content: `${passages[n % passages.length]} Edition ${n}.`,
        }),
    },
    { name: "crop", share: 20, send: (n) => ask(`/crop/book/1?source_account_id=${TENANT}&bbox=${box(n)}&width=600`) },
  ]
}

function report(kinds: readonly Kind[], sent: readonly Sent[], samples: readonly SoakSample[]): void {
  for (const { name } of kinds) {
    const of = sent.filter(({ kind }) => kind === name)
    const times = of.map(({ ms }) => ms)
    const errors = of.filter(({ status }) => !isGood(status))
    const statuses = [...new Set(errors.map(({ status }) => status))].join(", ")
    const at = (percent: number) => round(percentile(times, percent), 1)
    write(
      `${name}: ${of.length} requests, ${errors.length} errors${statuses && ` (${statuses})`}, p50 ${at(50)} ms, p95 ${at(95)} ms, p99 ${at(99)} ms`,
    )
  }
  const [first, last] = [samples[0], samples.at(-1)]
  // The first half is caches that fill.
  const settled = samples
    .slice(Math.floor(samples.length / 2))
    .map(({ second, rssMb }) => ({ x: second / 60, y: rssMb }))
  write(
    `memory: ${first?.rssMb} to ${last?.rssMb} MB, at most ${Math.max(...samples.map(({ rssMb }) => rssMb))}; second half ${round(slopeOf(settled), 2)} MB a minute`,
  )
  write(`handles: ${first?.handles} to ${last?.handles}, at most ${Math.max(...samples.map(({ handles }) => handles))}`)
  for (const [table, mb] of Object.entries(last?.tablesMb ?? {}))
    write(`${table}: ${first?.tablesMb[table] ?? 0} to ${mb} MB`)
}

await main()
