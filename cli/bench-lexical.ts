import {
  compareWithLucene,
  type LuceneFigures,
  measureMisspelt,
  scoreLexical,
  withoutVectors,
} from "../bench/lexical.ts"
import { rankByLucene } from "../bench/lucene.ts"
import { describeMachine } from "../bench/machine.ts"
import { round } from "../bench/metrics.ts"
import { openSubject } from "../bench/open-subject.ts"
import { indexCollection } from "../bench/relevance.ts"
import { formatTable } from "../bench/table.ts"
import { forgetTenant } from "../bench/tenants.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import { readCollection } from "../lib/beir-collection.ts"
import { type MeanInterval, mean } from "../lib/relevance-metrics.ts"
import type { Terminal } from "./terminal.ts"

export interface LexicalOptions {
  readonly database?: string
  readonly json?: true
}

/** `bench lexical`: the search by words beside Lucene's BM25, and what becomes of misspelt questions. */
export async function benchLexical(folder: string, options: LexicalOptions, terminal: Terminal): Promise<void> {
  const collection = await readCollection(folder)
  terminal.note("Ranking by Lucene")
  const rankings = await rankByLucene(collection)
  const tenant = `bench-lexical-${collection.name}`
  const subject = await openSubject(configFromEnvironment(), options.database)
  const counting = async <T>(what: string, total: number, work: (at: (count: number) => void) => Promise<T>) => {
    const progress = terminal.progress(what, total)
    return work((count) => {
      terminal.signal.throwIfAborted()
      progress.at(count)
    }).finally(() => progress.stop())
  }
  try {
    await forgetTenant(subject.owner, tenant)
    const indexDocuments = subject.indexWith(withoutVectors(subject.embedder))
    await counting("Indexing", collection.corpus.length, (at) =>
      indexCollection(indexDocuments, tenant, collection.corpus, at),
    )
    await subject.owner.session((session) => session.script("analyze"))
    const total = collection.questions.length
    const scores = await counting("Asking", total, (at) => scoreLexical(subject.search, tenant, collection, at))
    const misspelt = await counting("Asking misspelt", total, (at) =>
      measureMisspelt(subject.search, tenant, collection, scores, at),
    )
    const report = {
      dataset: collection.name,
      documents: collection.corpus.length,
      questions: total,
      machine: describeMachine(),
      database: subject.databaseVersion,
      command: `concordance bench lexical FOLDER${options.database === undefined ? "" : " --database URL"} --json`,
      ndcg10: round(mean(scores), 4),
      lucene: compareWithLucene(scores, rankings, collection),
      misspelt,
    }
    if (options.json) terminal.line(JSON.stringify(report, null, 2))
    else print(terminal, report)
  } finally {
    await forgetTenant(subject.owner, tenant)
    await subject.close()
  }
}

interface Report {
  readonly dataset: string
  readonly ndcg10: number
  readonly lucene: Readonly<Record<string, LuceneFigures>>
  readonly misspelt: Awaited<ReturnType<typeof measureMisspelt>>
}

function print(terminal: Terminal, { dataset, ndcg10, lucene, misspelt }: Report): void {
  const difference = ({ mean, low, high }: MeanInterval): string[] => [mean, low, high].map((value) => value.toFixed(4))
  terminal.line(
    formatTable(
      [dataset, "nDCG@10", "ours less it", "from", "to"],
      [
        ["ours", ndcg10.toFixed(4), "", "", ""],
        ...Object.entries(lucene).map(([way, figures]) => [
          `Lucene, ${way}`,
          figures.ndcg10.toFixed(4),
          ...difference(figures.difference),
        ]),
      ],
    ),
  )
  terminal.line(
    `\n${misspelt.questions} questions with one misspelt word each, of which ${misspelt.corrected} were corrected:`,
  )
  terminal.line(
    formatTable(
      ["", "nDCG@10", "gain", "from", "to"],
      [
        ["as they were written", misspelt.ndcg10_spelt_right.toFixed(4), "", "", ""],
        ["misspelt", misspelt.ndcg10.toFixed(4), ...difference(misspelt.difference)],
        ["uncorrected", misspelt.ndcg10_uncorrected.toFixed(4), "", "", ""],
      ],
    ),
  )
}
