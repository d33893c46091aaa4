import { buildVectorIndex } from "../lib/database/vector-index.ts"
import { deadlineIn } from "../lib/deadline.ts"
import type { IndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { percentile, round } from "./metrics.ts"
import type { Subject } from "./open-subject.ts"
import { createPlainTable, type PlainRow, type PlainTable } from "./plain-table.ts"
import { forgetTenant } from "./tenants.ts"

/** A chunk with its vector. */
export interface IngestPassage {
  readonly content: string
  readonly vector: Float32Array
}

/** Chunks a second. */
export interface IngestFigures {
  /** The store alone, vectors given, no HNSW index. */
  readonly load: { readonly ours: number; readonly plain: number; readonly ratio: number }
  /** The same with the build of the HNSW index after it. */
  readonly load_then_index: { readonly ours: number; readonly plain: number; readonly ratio: number }
  /** Into the index that is there: `naive` is ours with one document of one chunk a call. */
  readonly into_index: {
    readonly ours: number
    readonly plain: number
    readonly naive: number
    readonly ratio: number
    readonly ratio_over_naive: number
  }
  /** Texts through the model and into the index that is there; `naive` one document a call, so one text at a time. */
  readonly whole: { readonly ours: number; readonly naive: number; readonly ratio_over_naive: number }
  /** Seconds. */
  readonly index_build: { readonly ours: number; readonly plain: number }
}

/** A group of `POST /index/batch` has at most 64 lines and 1 MB: 64 documents of 10 such chunks. */
const DOCUMENTS_PER_CALL = 64
const CHUNKS_PER_DOCUMENT = 10
/** Chunks of one turn of ours and the other's. */
const TURN = DOCUMENTS_PER_CALL * CHUNKS_PER_DOCUMENT * 2
/** One at a time is slow: so many of each turn. */
const NAIVE_PER_TURN = 64
/** Texts of the whole path, and a turn's of the naive one. */
const WHOLE_PER_TURN = 32
const WHOLE_TURNS = 4
const DEADLINE_MS = 600_000
const TENANT = "bench-ingest"

interface IngestBench {
  readonly subject: Subject
  /** As many as are to be loaded, and a tenth more for what goes into the index afterwards. */
  readonly passages: Iterable<IngestPassage>
  readonly chunks: number
  /** Texts for the model, that no cache knows. */
  readonly texts: readonly string[]
  readonly onLoaded: (count: number) => void
  readonly onBuilding: () => void
}

/** Ways that take turns, and what each turn took. */
interface Turns {
  readonly seconds: Record<string, number[]>
  readonly chunks: Record<string, number>
}

/**
 * Loads the same chunks into the product and into a plain table, in turns, and builds the HNSW index of both; then goes on
 * into both indexes, the naive way too; then the whole path with its model. Ratios are the median of the turns' own, so that
 * whatever else the machine does meets both.
 */
export async function measureIngest(bench: IngestBench): Promise<IngestFigures> {
  const { subject, chunks } = bench
  await forgetTenant(subject.owner, TENANT)
  const index = subject.indexWith(null)
  return subject.owner.session(async (session) => {
    const plain = await createPlainTable(session, subject.embedder.dimensions)
    try {
      const passages = bench.passages[Symbol.iterator]()
      const loading = await takeTurns(passages, chunks, { ours: oursBy(index), plain: plainBy(plain) }, bench.onLoaded)
      bench.onBuilding()
      const build = {
        ours: await secondsOf(() => buildVectorIndex(subject.owner, TENANT, "bench")),
        plain: await secondsOf(() => plain.buildIndex()),
      }
      await session.query("analyze concordance.embeddings")
      const ways = { ours: oursBy(index), plain: plainBy(plain), naive: naiveBy(index) }
      const into = await takeTurns(passages, Math.max(TURN, Math.floor(chunks / 10)), ways, () => undefined)
      const whole = await measureWhole(subject, bench.texts)
      return summarise(loading, build, into, whole)
    } finally {
      await plain.drop()
    }
  })
}

type Way = (passages: readonly IngestPassage[], turn: number) => Promise<{ seconds: number; chunks: number }>

/** One way after the other in every turn, each turn beginning with another one. */
async function takeTurns(
  passages: Iterator<IngestPassage>,
  count: number,
  ways: Readonly<Record<string, Way>>,
  onDone: (count: number) => void,
): Promise<Turns> {
  const names = Object.keys(ways)
  const seconds: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]))
  const chunks: Record<string, number> = Object.fromEntries(names.map((name) => [name, 0]))
  for (let done = 0, turn = 0; done < count; turn++) {
    const part: IngestPassage[] = []
    while (part.length < Math.min(TURN, count - done)) {
      const { value, done: isOver } = passages.next()
      if (isOver) throw new RangeError("The bench has too few passages")
      part.push(value)
    }
    for (let offset = 0; offset < names.length; offset++) {
      const name = names[(turn + offset) % names.length] ?? ""
      const took = await ways[name]?.(part, turn + count)
      if (!took) continue
      // Seconds a chunk, so that turns of another size compare.
      seconds[name]?.push(took.seconds / took.chunks)
      chunks[name] = (chunks[name] ?? 0) + took.chunks
    }
    done += part.length
    onDone(done)
  }
  return { seconds, chunks }
}

function oursBy(index: IndexDocuments): Way {
  return async (passages, turn) => {
    const groups: IndexRequest[][] = []
    for (let start = 0; start < passages.length; start += CHUNKS_PER_DOCUMENT) {
      if (start % (CHUNKS_PER_DOCUMENT * DOCUMENTS_PER_CALL) === 0) groups.push([])
      const chunks = passages.slice(start, start + CHUNKS_PER_DOCUMENT)
      groups.at(-1)?.push(requestOf(`t${turn}-${start}`, chunks))
    }
    const seconds = await secondsOf(async () => {
      for (const group of groups) await indexAll(index, group)
    })
    return { seconds, chunks: passages.length }
  }
}

function naiveBy(index: IndexDocuments): Way {
  return async (passages, turn) => {
    const requests = passages.slice(0, NAIVE_PER_TURN).map((passage, i) => requestOf(`n${turn}-${i}`, [passage]))
    const seconds = await secondsOf(async () => {
      for (const request of requests) await indexAll(index, [request])
    })
    return { seconds, chunks: requests.length }
  }
}

function plainBy(plain: PlainTable): Way {
  return async (passages) => {
    const rows: PlainRow[] = [...passages]
    return { seconds: await secondsOf(() => plain.insert(rows)), chunks: rows.length }
  }
}

function requestOf(id: string, chunks: readonly IngestPassage[]): IndexRequest {
  const given = chunks.map(({ content, vector }) => ({ content, embedding: [...vector] }))
  return IndexRequest.parse({ id, language: "en", embedding_model: "bench", chunks: given })
}

async function indexAll(index: IndexDocuments, requests: readonly IndexRequest[]): Promise<void> {
  for (const outcome of await index(TENANT, requests, deadlineIn(DEADLINE_MS))) {
    if ("failed" in outcome) throw outcome.failed
  }
}

/** Seconds a chunk of texts in groups, and of the same number one after the other. */
async function measureWhole(subject: Subject, texts: readonly string[]): Promise<Turns> {
  const index = subject.indexWith(subject.model)
  const seconds: Record<string, number[]> = { ours: [], naive: [] }
  const chunks: Record<string, number> = { ours: 0, naive: 0 }
  const requests = texts.slice(0, 2 * WHOLE_PER_TURN * WHOLE_TURNS).map((content, i) => {
    // One chunk a text, so that both ways write as many.
    return IndexRequest.parse({ id: `w${i}`, language: "en", chunks: [{ content }] })
  })
  await indexAll(index, requests.slice(0, 1))
  for (let turn = 0; turn < WHOLE_TURNS; turn++) {
    const [grouped, single] = [2 * turn, 2 * turn + 1].map((n) =>
      requests.slice(n * WHOLE_PER_TURN, (n + 1) * WHOLE_PER_TURN),
    ) as [IndexRequest[], IndexRequest[]]
    if (single.length === 0) break
    const ways = {
      ours: () => indexAll(index, grouped),
      naive: async () => {
        for (const request of single) await indexAll(index, [request])
      },
    }
    for (const name of turn % 2 ? (["naive", "ours"] as const) : (["ours", "naive"] as const)) {
      const count = name === "ours" ? grouped.length : single.length
      seconds[name]?.push((await secondsOf(ways[name])) / count)
      chunks[name] = (chunks[name] ?? 0) + count
    }
  }
  return { seconds, chunks }
}

function summarise(loading: Turns, build: IngestFigures["index_build"], into: Turns, whole: Turns): IngestFigures {
  const rate = (turns: Turns, name: string) => round(1 / percentile(turns.seconds[name] ?? [], 50), 1)
  const ratio = (turns: Turns, over: string) =>
    round(
      percentile(
        (turns.seconds["ours"] ?? []).map((ours, i) => (turns.seconds[over]?.[i] ?? Number.NaN) / ours),
        50,
      ),
      3,
    )
  const total = (name: "ours" | "plain") => {
    const each = loading.seconds[name] ?? []
    const seconds = (each.reduce((sum, s) => sum + s, 0) / each.length) * (loading.chunks[name] ?? 0)
    return (loading.chunks[name] ?? 0) / (seconds + build[name])
  }
  return {
    load: { ours: rate(loading, "ours"), plain: rate(loading, "plain"), ratio: ratio(loading, "plain") },
    load_then_index: {
      ours: round(total("ours"), 1),
      plain: round(total("plain"), 1),
      ratio: round(total("ours") / total("plain"), 3),
    },
    into_index: {
      ours: rate(into, "ours"),
      plain: rate(into, "plain"),
      naive: rate(into, "naive"),
      ratio: ratio(into, "plain"),
      ratio_over_naive: ratio(into, "naive"),
    },
    whole: { ours: rate(whole, "ours"), naive: rate(whole, "naive"), ratio_over_naive: ratio(whole, "naive") },
    index_build: { ours: round(build.ours, 1), plain: round(build.plain, 1) },
  }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1_000
}
