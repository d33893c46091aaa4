import { writeFile } from "node:fs/promises"
import { loadavg } from "node:os"
import { createCachingEmbedder } from "../bench/caching-embedder.ts"
import { embedCorpus } from "../bench/load-passages.ts"
import { withProgress } from "../bench/load-tenants.ts"
import { describeMachine } from "../bench/machine.ts"
import { round } from "../bench/metrics.ts"
import { mixVectors } from "../bench/mixture-embedder.ts"
import { PEERS } from "../bench/peers/all-peers.ts"
import { comparePairs } from "../bench/peers/compare-pairs.ts"
import { type Measured, measurePeers, type PeersCase } from "../bench/peers/measure-peers.ts"
import type { Question, Row } from "../bench/peers/peer.ts"
import { writePeersPage } from "../bench/peers/peers-page.ts"
import { recombinePassages } from "../bench/recombined-passages.ts"
import { formatTable } from "../bench/table.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import { type Collection, type Passage, readCollection } from "../lib/beir-collection.ts"
import { AppError } from "../lib/errors.ts"
import type { Embedder } from "../lib/inference/inference.ts"
import { openInference } from "../lib/inference/open-inference.ts"
import { passageText } from "../lib/passage.ts"
import type { Terminal } from "./terminal.ts"

export interface PeersOptions {
  readonly chunks?: number
  readonly questions?: number
  readonly database?: string
  readonly only?: readonly string[]
  readonly json?: true
  readonly write?: true
}

/** Passages of one recombined document. */
const CHUNKS_PER_DOCUMENT = 10
const TEXTS_PER_CALL = 256

/** `bench peers`: the same passages, vectors and questions through the product and through what people would use instead. */
export async function benchPeers(folder: string, options: PeersOptions, terminal: Terminal): Promise<void> {
  const names = options.only ?? (await usable(options.database))
  const collection = await readCollection(folder)
  const bench = await prepare(collection, options, terminal)
  const measured = await measurePeers(names, bench, terminal)
  const figures = {
    dataset: collection.name,
    passages: bench.rows.length,
    questions: bench.questions.length,
    machine: describeMachine(),
    load: round(loadavg()[1] ?? 0, 1),
    command: describeCommand(options),
    peers: measured.map(({ ndcg_by_question: _, ...rest }) => rest),
    ...(bench.judgements && { default_minus: comparePairs(measured) }),
  }
  if (options.write) {
    const name = `peers-${collection.name}${options.chunks === undefined ? "" : `-${options.chunks}`}`
    const file = new URL(`../bench/baselines/${name}.json`, import.meta.url)
    await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`)
    await writePeersPage()
  }
  if (options.json) terminal.line(JSON.stringify(figures, null, 2))
  else terminal.line(tableOf(measured))
}

/** Those on PostgreSQL want one. */
async function usable(database: string | undefined): Promise<string[]> {
  const all = await Promise.all(Object.entries(PEERS).map(async ([name, load]) => ({ name, peer: await load() })))
  return all.filter(({ peer }) => database !== undefined || !peer.onPostgres).map(({ name }) => name)
}

async function prepare(collection: Collection, options: PeersOptions, terminal: Terminal): Promise<PeersCase> {
  const config = configFromEnvironment()
  const inference = await openInference({ ...config, home: config.concordanceHome })
  try {
    if (!inference.embedder) throw new AppError("invalid_configuration", "EMBEDDING_MODEL must name a model to bench.")
    const embedder = await createCachingEmbedder(inference.embedder)
    const asked = collection.questions.slice(0, options.questions)
    const questions: Question[] = []
    for (const { text } of asked) {
      const [vector = new Float32Array()] = (await embedder.embed([text], "query")).vectors
      questions.push({ text, vector })
    }
    const rows = await rowsOf(collection.corpus, options.chunks, embedder, terminal)
    const judgements = asked.map(({ _id }) => collection.judgements.get(_id) ?? new Map<string, number>())
    return {
      rows,
      questions,
      judgements: options.chunks === undefined ? judgements : null,
      serverUrl: options.database,
      dimensions: embedder.dimensions,
    }
  } finally {
    await inference.close()
  }
}

/** A passage a document, as collections are published; or `chunks` recombined ones, of which nobody knows what is relevant. */
async function rowsOf(
  corpus: readonly Passage[],
  chunks: number | undefined,
  embedder: Embedder,
  terminal: Terminal,
): Promise<Row[]> {
  const whole = corpus
    .map(({ _id, title, text }) => ({ _id, title, text: text.trim() === "" ? title : text }))
    .filter(({ text }) => text.trim() !== "")
  if (chunks === undefined) {
    const texts = whole.map(({ title, text }) => passageText(title, [], text))
    const vectors = await withProgress(terminal, "Embedding", texts.length, async (at) => {
      const made: Float32Array[] = []
      for (let start = 0; start < texts.length; start += TEXTS_PER_CALL) {
        made.push(...(await embedder.embed(texts.slice(start, start + TEXTS_PER_CALL), "passage")).vectors)
        at(made.length)
      }
      return made
    })
    return whole.map(({ _id, title, text }, index) => {
      return { id: _id, document: _id, title, text, vector: vectors[index] ?? new Float32Array() }
    })
  }
  const vectors = await withProgress(terminal, "Embedding", whole.length, (at) => embedCorpus(embedder, whole, at))
  return [...recombinePassages(whole, chunks, 1)].map((passage, index) => ({
    id: `p${index}`,
    document: `d${Math.floor(index / CHUNKS_PER_DOCUMENT)}`,
    title: "",
    text: passage.content,
    vector: mixVectors(passage, vectors, embedder.dimensions),
  }))
}

function tableOf(measured: readonly Measured[]): string {
  const head = ["peer", "nDCG@10", "recall@100", "p50 ms", "p95 ms", "indexed/s", "memory MB", "disk MB"]
  const rows = measured.map((m) => [
    `${m.peer}, ${m.way}`,
    m.ndcg10?.toFixed(4) ?? "",
    m.recall100?.toFixed(4) ?? "",
    m.p50_ms.toFixed(1),
    m.p95_ms.toFixed(1),
    m.indexed_per_s.toFixed(0),
    m.memory_mb.toFixed(0),
    m.disk_mb.toFixed(0),
  ])
  return formatTable(head, rows)
}

function describeCommand({ chunks, questions, database, only }: PeersOptions): string {
  const options = [
    ...(chunks === undefined ? [] : [`--chunks ${chunks}`]),
    ...(questions === undefined ? [] : [`--questions ${questions}`]),
    ...(database === undefined ? [] : ["--database URL"]),
    ...(only === undefined ? [] : [`--only ${only.join(",")}`]),
  ]
  return ["concordance bench peers FOLDER", ...options, "--write"].join(" ")
}
