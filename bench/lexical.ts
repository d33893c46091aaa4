import type { Collection } from "../lib/beir-collection.ts"
import { deadlineIn } from "../lib/deadline.ts"
import type { Embedder } from "../lib/inference/inference.ts"
import { randomFrom } from "../lib/random.ts"
import { type MeanInterval, mean, ndcg } from "../lib/relevance-metrics.ts"
import { SearchRequest } from "../lib/search/request.ts"
import type { Search } from "../lib/search/search.ts"
import type { Rankings } from "./lucene.ts"
import { meanInterval, round } from "./metrics.ts"
import { misspell } from "./misspell.ts"

/** The search by words beside Lucene's. */
export interface LuceneFigures {
  readonly ndcg10: number
  /** Ours less Lucene's, question by question: the mean with its 95 % bootstrap interval. */
  readonly difference: MeanInterval
}

/** What becomes of questions with one misspelt word each. */
export interface MisspeltFigures {
  readonly questions: number
  /** Questions whose word was taken for misspelt; in the others the slip made another word of the collection. */
  readonly corrected: number
  /** The same questions as they were written. */
  readonly ndcg10_spelt_right: number
  readonly ndcg10: number
  /** Without what the word was taken for: asked without the word, which no passage has. */
  readonly ndcg10_uncorrected: number
  /** Corrected less uncorrected. */
  readonly difference: MeanInterval
}

interface Asked {
  /** nDCG@10. */
  readonly score: number
  readonly warnings: readonly string[]
}

type Judged = Pick<Collection, "questions" | "judgements">

const TOP_K = 100
const DEADLINE_MS = 600_000

/** The model's tokenizer without the model: documents are cut as they would be, and words alone are searched. */
export function withoutVectors(embedder: Embedder): Embedder {
  const vector = new Float32Array(embedder.dimensions).fill(1 / Math.sqrt(embedder.dimensions))
  return {
    ...embedder,
    embed: (texts) => Promise.resolve({ vectors: texts.map(() => vector), truncated: [], tokens: 0 }),
  }
}

/** nDCG@10 of each question, by words alone. */
export async function scoreLexical(
  search: Search,
  tenant: string,
  { questions, judgements }: Judged,
  onAsked: (count: number) => void,
): Promise<number[]> {
  const scores: number[] = []
  for (const { _id, text } of questions) {
    scores.push((await ask(search, tenant, text, judgements.get(_id) ?? new Map())).score)
    onAsked(scores.length)
  }
  return scores
}

/** Lucene's rankings judged beside our scores, which are in the same order of questions. */
export function compareWithLucene(
  scores: readonly number[],
  rankings: Rankings,
  { questions, judgements }: Judged,
): Record<string, LuceneFigures> {
  return Object.fromEntries(
    [...rankings].map(([way, ranked]) => {
      const theirs = questions.map(({ _id }, index) => ndcg(ranked[index] ?? [], judgements.get(_id) ?? new Map()))
      const difference = meanInterval(scores.map((score, index) => score - (theirs[index] ?? 0)))
      return [way, { ndcg10: round(mean(theirs), 4), difference }]
    }),
  )
}

/** Asks each question with one slip in one of its words (seeded), and again without that word where it was corrected. */
export async function measureMisspelt(
  search: Search,
  tenant: string,
  { questions, judgements }: Judged,
  scores: readonly number[],
  onAsked: (count: number) => void,
): Promise<MisspeltFigures> {
  const random = randomFrom(1)
  const figures: { readonly right: number; readonly corrected: number; readonly uncorrected: number }[] = []
  let corrected = 0
  for (const [index, { _id, text }] of questions.entries()) {
    const made = misspell(text, random)
    onAsked(index + 1)
    if (!made) continue
    const judged = judgements.get(_id) ?? new Map()
    const asked = await ask(search, tenant, made.text, judged)
    const taken = asked.warnings.some((warning) => warning.includes(`"${made.word}"`))
    if (taken) corrected += 1
    const uncorrected = taken ? await ask(search, tenant, made.without, judged) : asked
    figures.push({ right: scores[index] ?? 0, corrected: asked.score, uncorrected: uncorrected.score })
  }
  const meanOf = (which: "right" | "corrected" | "uncorrected") => round(mean(figures.map((f) => f[which])), 4)
  return {
    questions: figures.length,
    corrected,
    ndcg10_spelt_right: meanOf("right"),
    ndcg10: meanOf("corrected"),
    ndcg10_uncorrected: meanOf("uncorrected"),
    difference: meanInterval(figures.map((f) => f.corrected - f.uncorrected)),
  }
}

async function ask(search: Search, tenant: string, query: string, judged: ReadonlyMap<string, number>): Promise<Asked> {
  const request = SearchRequest.parse({ query, top_k: TOP_K, strategy: "lexical" })
  const { response } = await search(tenant, request, deadlineIn(DEADLINE_MS))
  return {
    score: ndcg(
      response.results.map(({ id }) => id),
      judged,
    ),
    warnings: response.warnings ?? [],
  }
}
