import { type FilterFigures, measureDense } from "../bench/dense.ts"
import { bitsOf, DENSE_METHODS, type DenseMethod } from "../bench/dense-methods.ts"
import { withReference } from "../bench/dense-reference.ts"
import { loadTenants, withProgress } from "../bench/load-tenants.ts"
import { describeMachine } from "../bench/machine.ts"
import { openSubject, type Subject } from "../bench/open-subject.ts"
import { readRelationSizes } from "../bench/relation-sizes.ts"
import { formatTable } from "../bench/table.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import { indexFilterField } from "../lib/database/filter-fields.ts"
import { buildVectorIndex } from "../lib/database/vector-index.ts"
import { readBenchCorpus } from "./bench-latency.ts"
import type { Terminal } from "./terminal.ts"

export interface DenseOptions {
  readonly chunks: number
  readonly questions: number
  readonly database: string
  readonly dataset?: string
  readonly json?: true
}

/**
 * `bench dense`: one tenant of `bench latency`, asked for the nearest chunks in every way and under filters of several
 * selectivities. What is missing of vectors and indexes is made first; it stays, for the next run.
 */
export async function benchDense(options: DenseOptions, terminal: Terminal): Promise<void> {
  const { name, corpus, questions } = await readBenchCorpus(options.dataset)
  const subject = await openSubject(configFromEnvironment(), options.database)
  const tenant = `bench-latency-${name.replace(/\W+/g, "-")}-${options.chunks}`
  try {
    await loadTenants(subject, corpus, [{ tenant, count: options.chunks, seed: 1 }], terminal)
    const space = await indexAll(subject, tenant, terminal)
    const { vectors } = await subject.embedder.embed(questions.slice(0, options.questions), "query")
    const steps = vectors.length * 6
    const filters = await withReference(subject.owner, tenant, space.id, (nearest) =>
      withProgress(terminal, "Asking", steps, (at) =>
        measureDense({ ...subject, tenant, space, nearest }, vectors, at),
      ),
    )
    report(terminal, options, {
      dataset: name,
      chunks: options.chunks,
      questions: vectors.length,
      machine: describeMachine(),
      database: subject.databaseVersion,
      model: subject.embedder.model,
      command: describeCommand(options),
      sizes_mb: await readRelationSizes(subject.owner),
      filters,
    })
  } finally {
    await subject.close()
  }
}

/** Builds those indexes of the tenant's that aren't there, and the one over signs that the product doesn't have. */
async function indexAll({ owner, embedder }: Subject, tenant: string, terminal: Terminal) {
  const [space] = await owner.session((session) =>
    session.query<{ id: number; dimensions: number; indexed: boolean }>(
      "select id, dimensions, indexed from concordance.embedding_spaces where source_account_id = $1 and model = $2",
      [tenant, embedder.model],
    ),
  )
  if (!space) throw new RangeError(`${tenant} has no vectors of ${embedder.model}`)
  if (!space.indexed) {
    terminal.note("Building the index of vectors")
    await buildVectorIndex(owner, tenant, embedder.model)
  }
  terminal.note("Building the index of signs, and that of the field")
  await owner.session((session) =>
    session.script(`create index if not exists bench_signs_${space.id} on concordance.embeddings
      using hnsw ((${bitsOf(space.dimensions)}) bit_hamming_ops) where space_id = ${space.id}`),
  )
  await indexFilterField(owner, tenant, "bucket")
  await owner.session((session) => session.query("vacuum analyze"))
  return space
}

interface Report {
  readonly filters: readonly FilterFigures[]
  readonly [fact: string]: unknown
}

function report(terminal: Terminal, { json }: DenseOptions, figures: Report): void {
  if (json) {
    terminal.line(JSON.stringify(figures, null, 2))
    return
  }
  const methods = Object.keys(DENSE_METHODS) as DenseMethod[]
  for (const { selectivity, plan, methods: measured, over_best } of figures.filters) {
    const rows = methods.flatMap((method) => {
      const f = measured[method]
      return f ? [[method, f.p50_ms.toFixed(2), f.p95_ms.toFixed(2), f.recall10.toFixed(4)]] : []
    })
    terminal.line(formatTable([`${selectivity * 100} % pass`, "p50 ms", "p95 ms", "recall@10"], rows))
    terminal.line(`auto chose ${plan}, and took ${over_best} times the best of the others\n`)
  }
}

function describeCommand({ chunks, questions, dataset }: DenseOptions): string {
  const data = dataset === undefined ? "" : " --dataset FOLDER"
  return `concordance bench dense --chunks ${chunks} --questions ${questions} --database URL${data} --json`
}
