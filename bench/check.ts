import type { Config } from "../lib/config.ts"
import { buildVectorIndex } from "../lib/database/vector-index.ts"
import { readAnswerQuestions } from "./answer-questions.ts"
import { openWithSamples, SAMPLES_TENANT } from "./answers.ts"
import { measureEmbedding } from "./embedding.ts"
import { readInstalledCorpus } from "./installed-corpus.ts"
import { measureLatency } from "./latency.ts"
import { loadTenants, type Shown, withProgress } from "./load-tenants.ts"
import { round } from "./metrics.ts"
import type { Subject } from "./open-subject.ts"
import { createReferenceQueries } from "./reference-queries.ts"
import { measureVariant } from "./relevance.ts"

const VARIANTS = ["lexical", "semantic", "rrf", "weighted", "weighted+rerank"] as const

/** Enough for an index and for `ts_rank_cd` to be slow; loaded in a minute. */
const CHUNKS = 10_000
const QUESTIONS = 60
/** Of the installed documentation: the rest would only take longer to embed. */
const DOCUMENTS = 1_500

/** nDCG@10 of the questions about the samples that something answers, by every way of searching. The same on every run. */
export async function measureSamples(config: Config, shown: Shown): Promise<Record<string, number>> {
  const { choosing, reported, reporting } = await readAnswerQuestions()
  const asked = [...choosing, ...reported, ...reporting].filter(({ sources }) => sources.length > 0)
  const questions = asked.map(({ question }, index) => ({ _id: String(index), text: question }))
  const judgements = new Map(
    asked.map(({ sources }, index) => [String(index), new Map(sources.map((source) => [source, 1]))]),
  )
  const runtime = await openWithSamples(config)
  try {
    const figures: Record<string, number> = {}
    for (const variant of VARIANTS) {
      const measured = await withProgress(shown, variant.padEnd(15), questions.length, (at) =>
        measureVariant(runtime.search, SAMPLES_TENANT, variant, { questions, judgements }, at),
      )
      figures[`samples ${variant} nDCG@10`] = measured.ndcg10
    }
    return figures
  } finally {
    await runtime.close()
  }
}

/** How fast both lists are beside `ts_rank_cd`, and what they miss, over 10,000 recombined chunks. */
export async function measureLists(subject: Subject, shown: Shown) {
  const { corpus, questions } = await readInstalledCorpus("node_modules")
  const tenant = `bench-check-${CHUNKS}`
  await loadTenants(subject, corpus.slice(0, DOCUMENTS), [{ tenant, count: CHUNKS, seed: 1 }], shown)
  await buildVectorIndex(subject.owner, tenant, subject.embedder.model)
  await subject.owner.session((session) => session.query("vacuum analyze"))
  const parts = { ...subject, reference: createReferenceQueries(subject.owner) }
  const asked = questions.slice(0, QUESTIONS)
  const measured = await withProgress(shown, "Asking", asked.length, (at) => measureLatency(parts, tenant, asked, at))
  return {
    shares: {
      "dense recall@10": measured.dense_recall10,
      "lexical top 10 kept": measured.lexical_top10_kept,
    },
    ratios: {
      "ts_rank_cd over lexical": measured.lexical_speedup,
      "ts_rank_cd over whole search": round(measured.ts_rank_cd.p50_ms / measured.whole.p50_ms, 2),
      "ts_rank_cd over dense": round(measured.ts_rank_cd.p50_ms / measured.dense.p50_ms, 2),
    },
  }
}

/** How much faster our batches are embedded than by the usual pipeline. */
export async function measureBatching(modelsFolder: string): Promise<Record<string, number>> {
  const { speedup_over_16, speedup_over_one } = await measureEmbedding({ modelsFolder, rounds: 3 })
  return {
    "pipeline of 16 over our batches": speedup_over_16,
    "pipeline one by one over our batches": speedup_over_one,
  }
}
