import type { Deadline } from "../../deadline.ts"
import { understands } from "../../inference/embedding-families.ts"
import type { Reranker, WordMatch } from "../../inference/inference.ts"
import type { ModelDeps } from "../../inference/tenant-models.ts"
import { headingsOf, passageText } from "../../passage.ts"
import { callModel } from "../../search/model-call.ts"
import { queryText } from "../../search/query-text.ts"
import type { CoverWords } from "../../search/word-coverage.ts"
import { dot } from "../../vector.ts"
import type { QuotablePassage, QuotableSentence } from "./quotable-sentences.ts"

/** What the models and the words say of a sentence; null where a model is missing, late, or doesn't know the language. */
export interface ScoredSentence extends QuotableSentence {
  /** Mean cosine of the question with the sentence, read under its passage's title and headings, and with the passage. */
  readonly similarity: number | null
  /** Mean of the reranker's scores of the same two texts. */
  readonly reranked: number | null
  /** Mean share of the question's words in the sentence and in its passage, by IDF, 0–1. */
  readonly coverage: number
  /** What the sentences are ordered by. */
  readonly score: number
}

export interface ScoredSentences {
  /** Best first. */
  readonly sentences: readonly ScoredSentence[]
  /** Of each passage: share of the question's words in title and text, by IDF, 0–1. */
  readonly passageCoverage: readonly number[]
  /** How near the best sentence's passage comes to each of the question's words; null where no model can tell. */
  readonly matches: readonly WordMatch[] | null
  readonly degraded: readonly string[]
}

/** `embedder` null: words and the reranker alone. */
export interface ScoringDeps extends ModelDeps {
  readonly reranker: Reranker | null
  readonly coverWords: CoverWords
  readonly settings: { readonly embedTimeoutMs: number; readonly rerankTimeoutMs: number }
}

/** What is asked, and of which passages. */
export interface Scoring {
  readonly tenant: string
  readonly question: string
  readonly language: string | null
  readonly passages: readonly QuotablePassage[]
  readonly sentences: readonly QuotableSentence[]
}

/** Most sentences that the embedder reads, those with the question's words first: twelve passages have about ninety. */
const EMBEDDED_MAX = 128
/** Most that the reranker reads of those; eight of them have the same best one. */
const RERANKED_MAX = 16
/** Words that ask for an amount or a leave and name nothing, beside the stop words of PostgreSQL's lists. */
const ASKING = /^(many|much|long|far|often|may|could|would|must|since|quant[oa]s?|qual|quais|onde|porqu[eê]|porque)$/i

/** Orders the sentences of passages by how well they answer. Throws `deadline_exceeded`, `database_unavailable`. */
export async function scoreSentences(deps: ScoringDeps, asked: Scoring, deadline: Deadline): Promise<ScoredSentences> {
  const { tenant, question, language, passages, sentences } = asked
  const texts = [
    ...passages.map(({ hit, text, language }) => ({ text: `${hit.title}\n${text}`, language })),
    ...sentences.map(({ passage, text }) => ({ text, language: passages[passage]?.language ?? "und" })),
  ]
  const { shares, words } = await deps.coverWords(tenant, question, language, texts, deadline.left())
  const covered = sentences
    .map((sentence, i) => {
      const own = shares[passages.length + i] ?? 0
      return { ...sentence, coverage: (own + (shares[sentence.passage] ?? 0)) / 2 }
    })
    .sort((a, b) => b.coverage - a.coverage)
    .slice(0, EMBEDDED_MAX)
  const degraded: string[] = []
  const note = (missing: string): void => void degraded.push(`sentences: ${missing}`)
  const similarities = await similaritiesOf(deps, asked, covered, deadline, note)
  const near = covered
    .map((sentence, i) => ({ ...sentence, similarity: similarities?.[i] ?? null }))
    .sort((a, b) => scoreOf({ ...b, reranked: null }) - scoreOf({ ...a, reranked: null }))
    .slice(0, RERANKED_MAX)
  const reranks = await reranksOf(deps, asked, near, deadline, note)
  const scored = near.map((sentence, i): ScoredSentence => {
    const all = { ...sentence, reranked: reranks?.[i] ?? null }
    return { ...all, score: scoreOf(all) }
  })
  scored.sort((a, b) => b.score - a.score || a.passage - b.passage || a.start - b.start)
  return {
    sentences: scored,
    matches: await matchesOf(deps, asked, scored[0], words, deadline),
    passageCoverage: shares.slice(0, passages.length),
    degraded,
  }
}

/** The sentence as a model reads it: under what its passage is about, a table's row under the table's head. */
function inContext({ passage, text }: QuotableSentence, passages: readonly QuotablePassage[]): string {
  const from = passages[passage]
  if (!from) return text
  const head = text.includes("|") ? tableHead(from.text) : null
  return passageText(from.hit.title, headingsOf(from.hit.metadata), head && head !== text ? `${head}\n${text}` : text)
}

/** The first row of a passage's table, null where it has none. */
export function tableHead(text: string): string | null {
  return (
    text
      .split("\n")
      .find((line) => line.includes("|"))
      ?.trim() ?? null
  )
}

/**
 * The mean of what embedder and reranker say; the words stand in for an embedder that is missing or doesn't know the language,
 * since late interaction of an English model over another language is little else, and noisier.
 */
function scoreOf({ similarity, reranked, coverage }: Omit<ScoredSentence, "score" | keyof QuotableSentence>): number {
  if (reranked === null) return similarity ?? coverage
  return similarity === null ? (2 * reranked + coverage) / 3 : (similarity + reranked) / 2
}

/** The texts that a model reads of sentences: each in its context, and each one's passage once. */
function textsOf(sentences: readonly QuotableSentence[], passages: readonly QuotablePassage[]) {
  const places = [...new Set(sentences.map(({ passage }) => passage))]
  const whole = places.map((place) => wholeOf(passages[place]))
  const texts = [...sentences.map((sentence) => inContext(sentence, passages)), ...whole]
  /** Each sentence's mean of what a model says of the two. */
  const means = (values: readonly number[]): number[] =>
    sentences.map(
      ({ passage }, i) => ((values[i] ?? 0) + (values[sentences.length + places.indexOf(passage)] ?? 0)) / 2,
    )
  return { texts, means }
}

const wholeOf = (passage: QuotablePassage | undefined): string =>
  passage ? passageText(passage.hit.title, headingsOf(passage.hit.metadata), passage.text) : ""

async function matchesOf(
  { reranker, settings }: ScoringDeps,
  { question, passages }: Scoring,
  best: QuotableSentence | undefined,
  words: readonly string[],
  deadline: Deadline,
): Promise<readonly WordMatch[] | null> {
  const passage = best && passages[best.passage]
  if (!passage || !reranker?.matchWords) return null
  const result = await callModel("reranking model", settings.rerankTimeoutMs, deadline, async (signal) =>
    reranker.matchWords?.(queryText(question), wholeOf(passage), { signal }),
  )
  if ("missing" in result || !result.value) return null
  const kept = new Set(words)
  return result.value.filter(({ word }) => kept.has(word) && !ASKING.test(word.replace(/[^\p{L}]/gu, "")))
}

async function similaritiesOf(
  { embedder, settings }: ScoringDeps,
  { question, language, passages }: Scoring,
  sentences: readonly QuotableSentence[],
  deadline: Deadline,
  note: (missing: string) => void,
): Promise<readonly number[] | null> {
  if (!embedder) {
    note("no embedding model is configured; chosen by words")
    return null
  }
  if (language !== null && !understands(embedder, language)) {
    note(`the embedding model doesn't understand the question's language (${language}); chosen by words`)
    return null
  }
  if (sentences.length === 0) return []
  const result = await callModel("embedding model", settings.embedTimeoutMs, deadline, async (signal) => {
    const { vectors } = await embedder.embed([queryText(question)], "query", { signal })
    const { texts, means } = textsOf(sentences, passages)
    const read = await embedder.embed(texts, "passage", { signal })
    // In a language that the model doesn't know, likeness is noise.
    const known = sentences.map(({ passage }) => understands(embedder, passages[passage]?.language ?? "und"))
    return means(read.vectors.map((vector) => dot(vector, vectors[0] ?? vector))).map((mean, i) =>
      known[i] ? mean : 0,
    )
  })
  if ("missing" in result) {
    note(`${result.missing}; chosen without it`)
    return null
  }
  return result.value
}

async function reranksOf(
  { reranker, settings }: ScoringDeps,
  { question, passages }: Scoring,
  sentences: readonly QuotableSentence[],
  deadline: Deadline,
  note: (missing: string) => void,
): Promise<readonly number[] | null> {
  if (!reranker) {
    note("no reranking model is configured; chosen without it")
    return null
  }
  if (sentences.length === 0) return []
  const result = await callModel("reranking model", settings.rerankTimeoutMs, deadline, async (signal) => {
    const { texts, means } = textsOf(sentences, passages)
    const scores = await reranker.score(queryText(question), texts, { signal })
    // A cross-encoder's logits, on the scale of cosines and shares.
    const areLogits = scores.some((score) => Math.abs(score) > 1)
    return means(areLogits ? scores.map((score) => 1 / (1 + Math.exp(-score))) : scores)
  })
  if ("missing" in result) {
    note(`${result.missing}; chosen without it`)
    return null
  }
  return result.value
}
