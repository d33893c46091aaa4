import { type Corpus, readInstalledCorpus } from "../bench/installed-corpus.ts"
import { type LatencyFigures, measureLatency } from "../bench/latency.ts"
import { loadTenants, withProgress } from "../bench/load-tenants.ts"
import { describeMachine } from "../bench/machine.ts"
import { openSubject } from "../bench/open-subject.ts"
import { createReferenceQueries } from "../bench/reference-queries.ts"
import { formatTable } from "../bench/table.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import { readCollection } from "../lib/beir-collection.ts"
import { buildVectorIndex } from "../lib/database/vector-index.ts"
import type { Terminal } from "./terminal.ts"

export interface LatencyOptions {
  readonly chunks: number
  readonly questions: number
  readonly database?: string
  readonly dataset?: string
  readonly json?: true
}

/** A customer with little, among whose neighbours is one with much. */
const SMALL_TENANT_CHUNKS = 1_000

/**
 * `bench latency`: fills two tenants of the same tables, gives the big one its vector index, and asks both the same
 * questions. The tenants stay, so that the next run with as many chunks of the same corpus starts at once.
 */
export async function benchLatency(options: LatencyOptions, terminal: Terminal): Promise<void> {
  const { name, corpus, questions } = await readBenchCorpus(options.dataset)
  const asked = questions.slice(0, options.questions)
  const subject = await openSubject(configFromEnvironment(), options.database)
  const slug = name.replace(/\W+/g, "-")
  const loads = {
    large: { tenant: `bench-latency-${slug}-${options.chunks}`, count: options.chunks, seed: 1 },
    small: { tenant: `bench-latency-${slug}-small`, count: SMALL_TENANT_CHUNKS, seed: 2 },
  }
  try {
    await loadTenants(subject, corpus, Object.values(loads), terminal)
    terminal.note("Building the vector index of the big tenant")
    await buildVectorIndex(subject.owner, loads.large.tenant, subject.embedder.model)
    await subject.owner.session((session) => session.query("vacuum analyze"))
    const parts = { ...subject, reference: createReferenceQueries(subject.owner) }
    const tenants: Record<string, LatencyFigures & { readonly chunks: number }> = {}
    for (const [size, { tenant, count }] of Object.entries(loads)) {
      const figures = await withProgress(terminal, `Asking ${size} tenant`, asked.length, (at) =>
        measureLatency(parts, tenant, asked, at),
      )
      tenants[size] = { chunks: count, ...figures }
      if (figures.ts_rank_cd_by_index < 1)
        terminal.note(`Note: ts_rank_cd of the ${size} tenant didn't always use the GIN index`)
    }
    report(terminal, options, {
      dataset: name,
      questions: asked.length,
      machine: describeMachine(),
      database: subject.databaseVersion,
      model: subject.embedder.model,
      command: describeCommand(options),
      tenants,
    })
  } finally {
    await subject.close()
  }
}

/** Passages and questions of a collection, or of the documentation that npm installed. */
export async function readBenchCorpus(folder: string | undefined): Promise<Corpus> {
  if (folder === undefined) return readInstalledCorpus("node_modules")
  const { name, corpus, questions } = await readCollection(folder)
  return { name, corpus, questions: questions.map(({ text }) => text) }
}

interface Report {
  readonly tenants: Readonly<Record<string, LatencyFigures & { readonly chunks: number }>>
  readonly [fact: string]: unknown
}

function report(terminal: Terminal, { json }: LatencyOptions, figures: Report): void {
  if (json) {
    terminal.line(JSON.stringify(figures, null, 2))
    return
  }
  for (const { chunks, ...f } of Object.values(figures.tenants)) {
    const timed = ["lexical", "dense", "whole", "whole_weighted", "ts_rank_cd"] as const
    const rows = timed.map((way) => [way, f[way].p50_ms.toFixed(2), f[way].p95_ms.toFixed(2)])
    terminal.line(formatTable([`${chunks} chunks`, "p50 ms", "p95 ms"], rows))
    terminal.line(
      `lexical is ${f.lexical_speedup} times as fast as ts_rank_cd and keeps ${f.lexical_top10_kept} of the`,
    )
    terminal.line(`exhaustive top 10; dense recall@10 ${f.dense_recall10}\n`)
  }
}

function describeCommand({ chunks, questions, database, dataset }: LatencyOptions): string {
  const options = [
    `--chunks ${chunks} --questions ${questions}`,
    ...(database === undefined ? [] : ["--database URL"]),
    ...(dataset === undefined ? [] : ["--dataset FOLDER"]),
  ]
  return ["concordance bench latency", ...options, "--json"].join(" ")
}
