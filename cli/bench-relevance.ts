import { withProgress } from "../bench/load-tenants.ts"
import { describeMachine } from "../bench/machine.ts"
import { openSubject } from "../bench/open-subject.ts"
import { indexCollection, measureVariant, type RelevanceFigures, VARIANTS } from "../bench/relevance.ts"
import { formatTable } from "../bench/table.ts"
import { forgetTenant } from "../bench/tenants.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import { readCollection } from "../lib/beir-collection.ts"
import { AppError } from "../lib/errors.ts"
import type { Terminal } from "./terminal.ts"

export interface RelevanceOptions {
  readonly database?: string
  readonly limit?: number
  readonly only?: readonly string[]
  readonly json?: true
}

/** `bench relevance`: loads a collection into a tenant of its own, asks all its questions and removes it. */
export async function benchRelevance(folder: string, options: RelevanceOptions, terminal: Terminal): Promise<void> {
  const variants = options.only ?? VARIANTS
  const unknown = variants.find((variant) => !VARIANTS.includes(variant))
  if (unknown !== undefined) {
    throw new AppError("invalid_request", `There is no strategy ${unknown}. There are ${VARIANTS.join(", ")}.`)
  }
  const collection = await readCollection(folder)
  const questions = collection.questions.slice(0, options.limit)
  const tenant = `bench-relevance-${collection.name}`
  const subject = await openSubject(configFromEnvironment(), options.database)
  try {
    await forgetTenant(subject.owner, tenant)
    await withProgress(terminal, "Indexing", collection.corpus.length, (at) =>
      indexCollection(subject.indexWith(subject.embedder), tenant, collection.corpus, at),
    )
    await subject.owner.session((session) => session.script("analyze"))
    const strategies: Record<string, RelevanceFigures> = {}
    for (const variant of variants) {
      strategies[variant] = await withProgress(terminal, variant.padEnd(15), questions.length, (at) =>
        measureVariant(subject.search, tenant, variant, { ...collection, questions }, at),
      )
    }
    report(terminal, options, {
      dataset: collection.name,
      documents: collection.corpus.length,
      questions: questions.length,
      machine: describeMachine(),
      database: subject.databaseVersion,
      model: subject.embedder.model,
      command: describeCommand(options),
      strategies,
    })
  } finally {
    await forgetTenant(subject.owner, tenant)
    await subject.close()
  }
}

interface Report {
  readonly dataset: string
  readonly strategies: Readonly<Record<string, RelevanceFigures>>
  readonly [fact: string]: unknown
}

function report(terminal: Terminal, { json }: RelevanceOptions, figures: Report): void {
  if (json) {
    terminal.line(JSON.stringify(figures, null, 2))
    return
  }
  const head = [figures.dataset, "nDCG@10", "recall@100", "no hit", "p50 ms", "p95 ms"]
  const rows = Object.entries(figures.strategies).map(([variant, f]) => {
    return [variant, f.ndcg10.toFixed(4), f.recall100.toFixed(4), f.no_hit, f.p50_ms.toFixed(1), f.p95_ms.toFixed(1)]
  })
  terminal.line(formatTable(head, rows))
}

/** The folder stands in the report by its name alone, so that a baseline holds no path of one machine. */
function describeCommand({ database, limit, only }: RelevanceOptions): string {
  const options = [
    ...(database === undefined ? [] : ["--database URL"]),
    ...(limit === undefined ? [] : [`--limit ${limit}`]),
    ...(only === undefined ? [] : [`--only ${only.join(",")}`]),
  ]
  return ["concordance bench relevance FOLDER", ...options, "--json"].join(" ")
}
