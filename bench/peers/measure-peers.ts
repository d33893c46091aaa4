import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { type Judgements, mean, ndcg } from "../../lib/relevance-metrics.ts"
import { type Shown, withProgress } from "../load-tenants.ts"
import { percentile, recall, round } from "../metrics.ts"
import { PEERS } from "./all-peers.ts"
import type { Peer, Question, Row } from "./peer.ts"
import { type PeerProcess, startPeerProcess } from "./peer-process.ts"
import type { Reply } from "./run-peer.ts"
import { withDatabase } from "./with-database.ts"

/** Passages of one call, for every peer. */
const ROWS_PER_CALL = 500
/** Depth of the ranking that is judged, and of the one that is timed. */
const JUDGED_DEPTH = 100
const TIMED_DEPTH = 10
/** Questions that are asked before any is timed. */
const WARM_UP = 10

/** One way of searching one peer. */
export interface PeerFigures {
  readonly peer: string
  readonly way: string
  readonly kind: Peer["kind"]
  /** Passages a second, indexes included; their vectors were there. */
  readonly indexed_per_s: number
  readonly p50_ms: number
  readonly p95_ms: number
  /** Resident, above the open and empty peer, after all searches. Of what is on PostgreSQL its client alone. */
  readonly memory_mb: number
  /** Above the empty peer. */
  readonly disk_mb: number
  readonly ndcg10?: number
  readonly recall100?: number
}

/** Of each question, for comparing ways in pairs. */
export interface Measured extends PeerFigures {
  readonly ndcg_by_question: readonly number[]
}

export interface PeersCase {
  readonly rows: readonly Row[]
  readonly questions: readonly Question[]
  /** In the order of the questions; null where only speed is measured. */
  readonly judgements: readonly Judgements[] | null
  /** A PostgreSQL server, as superuser; undefined: peers on PostgreSQL are left out. */
  readonly serverUrl: string | undefined
  readonly dimensions: number
}

interface Loaded {
  readonly name: string
  readonly peer: Peer
  readonly process: PeerProcess
  readonly indexedPerSecond: number
  /** Its sizes when it was open and empty. */
  readonly before: Reply
}

/**
 * Loads each peer in a process of its own, one after another; then asks all of them each question before the next, so that
 * whatever else the machine does meets all. Throws an Error that names the peer which failed.
 */
export async function measurePeers(names: readonly string[], bench: PeersCase, shown: Shown): Promise<Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), "concordance-peers-"))
  const processes: PeerProcess[] = []
  const begun = { folder, processes, bench, shown }
  try {
    return await withDatabases(names, bench.serverUrl, async (urls) => {
      const loaded: Loaded[] = []
      for (const name of names) {
        loaded.push(
          await loadPeer(name, urls[name], begun).catch((cause: unknown) => {
            throw new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
          }),
        )
      }
      return askAll(loaded, bench, shown)
    })
  } finally {
    // What a peer started below it ends with it.
    for (const process of processes) {
      await process.ask({ kind: "close" }).catch(() => {})
      process.kill()
    }
    await rm(folder, { recursive: true, force: true })
  }
}

/** Databases of their own for peers on PostgreSQL, dropped after the work. */
async function withDatabases<T>(
  names: readonly string[],
  serverUrl: string | undefined,
  work: (urls: Readonly<Record<string, string>>) => Promise<T>,
  urls: Readonly<Record<string, string>> = {},
): Promise<T> {
  const [name, ...rest] = names
  if (name === undefined) return work(urls)
  const peer = await PEERS[name]?.()
  if (!peer?.onPostgres || serverUrl === undefined) return withDatabases(rest, serverUrl, work, urls)
  return withDatabase(serverUrl, `peers_${name.replace(/\W/g, "_")}`, (url) =>
    withDatabases(rest, serverUrl, work, { ...urls, [name]: url }),
  )
}

interface Begun {
  readonly folder: string
  readonly processes: PeerProcess[]
  readonly bench: PeersCase
  readonly shown: Shown
}

async function loadPeer(name: string, url: string | undefined, { folder, processes, bench, shown }: Begun) {
  const peer = await PEERS[name]?.()
  if (!peer) throw new Error(`there is no such peer; there are ${Object.keys(PEERS).join(", ")}`)
  const process = startPeerProcess()
  processes.push(process)
  const place = { folder: await mkdtemp(join(folder, `${name}-`)), url, dimensions: bench.dimensions }
  await process.ask({ kind: "open", peer: name, place })
  const before = await process.ask({ kind: "sizes" })
  let ms = 0
  await withProgress(shown, `Indexing ${name}`, bench.rows.length, async (at) => {
    for (let start = 0; start < bench.rows.length; start += ROWS_PER_CALL) {
      ms += (await process.ask({ kind: "index", rows: bench.rows.slice(start, start + ROWS_PER_CALL) })).ms
      at(Math.min(start + ROWS_PER_CALL, bench.rows.length))
    }
  })
  ms += (await process.ask({ kind: "ready" })).ms
  return { name, peer, process, before, indexedPerSecond: round((1_000 * bench.rows.length) / ms, 1) }
}

interface Asked {
  readonly from: Loaded
  readonly way: string
  readonly times: number[]
  readonly rankings: (readonly string[])[]
}

async function askAll(loaded: readonly Loaded[], bench: PeersCase, shown: Shown): Promise<Measured[]> {
  const ways: Asked[] = loaded.flatMap((from) =>
    from.peer.ways.map((way) => ({ from, way, times: [], rankings: [] as (readonly string[])[] })),
  )
  for (const question of bench.questions.slice(0, WARM_UP))
    for (const { from, way } of ways) await from.process.ask({ kind: "search", question, way, depth: TIMED_DEPTH })
  await withProgress(shown, "Asking", bench.questions.length, async (at) => {
    for (const [index, question] of bench.questions.entries()) {
      // Each question begins with another one: what follows a slow search finds the processor's caches empty.
      for (const offset of ways.keys()) {
        const asked = ways[(index + offset) % ways.length]
        if (!asked) continue
        const search = { kind: "search", question, way: asked.way } as const
        asked.times.push((await asked.from.process.ask({ ...search, depth: TIMED_DEPTH })).ms)
        if (!bench.judgements) continue
        const { documents = [] } = await asked.from.process.ask({ ...search, depth: JUDGED_DEPTH })
        asked.rankings.push([...new Set(documents)])
      }
      at(index + 1)
    }
  })
  const grown = new Map<Loaded, Grown>()
  for (const from of loaded) grown.set(from, growth(from.before, await from.process.ask({ kind: "sizes" })))
  return ways.map((asked) => ({ ...figuresOf(asked, bench.judgements), ...(grown.get(asked.from) ?? NOTHING) }))
}

type Grown = Pick<PeerFigures, "memory_mb" | "disk_mb">
const NOTHING: Grown = { memory_mb: 0, disk_mb: 0 }

function growth(before: Reply, after: Reply): Grown {
  const megabytes = (of: "memoryBytes" | "diskBytes") => round(((after[of] ?? 0) - (before[of] ?? 0)) / 1e6, 1)
  return { memory_mb: megabytes("memoryBytes"), disk_mb: megabytes("diskBytes") }
}

function figuresOf(
  { from, way, times, rankings }: Asked,
  judgements: PeersCase["judgements"],
): Omit<Measured, keyof Grown> {
  const judged = (measure: typeof ndcg) =>
    rankings.map((ranked, index) => measure(ranked, judgements?.[index] ?? new Map()))
  const meanOf = (values: readonly number[]) => round(mean(values), 4)
  return {
    peer: from.name,
    way,
    kind: from.peer.kind,
    indexed_per_s: from.indexedPerSecond,
    p50_ms: round(percentile(times, 50), 2),
    p95_ms: round(percentile(times, 95), 2),
    ...(judgements && { ndcg10: meanOf(judged(ndcg)), recall100: meanOf(judged(recall)) }),
    ndcg_by_question: judged(ndcg).map((value) => round(value, 4)),
  }
}
