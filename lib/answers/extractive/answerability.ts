import { askedFor, holdsType } from "./answer-type.ts"
import type { Calibration, Weights } from "./calibrations.ts"
import type { Evidence } from "./gather-evidence.ts"

/** What tells whether a question is answered by what was found. */
export interface Signals {
  /** The best sentence's score: off the documents' topics it is low. */
  readonly nearness: number
  /** Share of the question's words in the best sentence's passage, by IDF, 0–1. */
  readonly coverage: number
  /**
   * How much less near the passage comes to one word of the question than to the others, on average; 0 where no model can tell.
   * A passage on the question's subject that never says what is asked has the subject's words (.9) and nothing like the other
   * (.3). One that answers has all of them, or, in other words, none (.3 to .6).
   */
  readonly unmet: number
  /** A number, a date, a sum or a person is asked for, and the passage's best sentences have none. */
  readonly typeMissing: boolean
  /** The question has a name or a number that the passage doesn't have. */
  readonly nameMissing: boolean
}

/** `answered`, or why not. */
export type Verdict = "answered" | "nothing_found" | "too_far" | "unlikely" | "type_missing"

/** Sentences of the best passage in which the kind of thing that was asked for may stand. */
const TYPE_SENTENCES = 2

/** The signals of what was found; null where nothing was. */
export function signalsOf({ question, sentences, passages, passageCoverage, matches }: Evidence): Signals | null {
  const [best] = sentences
  if (!best) return null
  const type = askedFor(question)
  const near = sentences.filter(({ passage }) => passage === best.passage).slice(0, TYPE_SENTENCES)
  const from = passages[best.passage]
  return {
    nearness: best.score,
    coverage: passageCoverage[best.passage] ?? 0,
    unmet: unmetOf((matches ?? []).map(({ similarity }) => similarity)),
    typeMissing: type !== null && !near.some(({ text }) => holdsType(text, type)),
    nameMissing: !holdsNames(question, `${from?.hit.title} ${from?.text}`),
  }
}

function unmetOf(similarities: readonly number[]): number {
  if (similarities.length < 2) return 0
  const least = Math.min(...similarities)
  const others = similarities.reduce((sum, similarity) => sum + similarity, -least) / (similarities.length - 1)
  return others - least
}

/** Whether a text has a question's numbers and, its first word aside, what it writes with a capital. */
function holdsNames(question: string, text: string): boolean {
  const held = text.toLowerCase()
  const words = question.match(/\p{L}[\p{L}\p{N}_'’-]*/gu) ?? []
  const names = words.slice(1).filter((word) => /^\p{Lu}/u.test(word))
  const numbers = new Set(text.match(/\d+/g))
  return (
    names.every((name) => held.includes(name.replace(/['’]s$/, "").toLowerCase())) &&
    (question.match(/\d+/g) ?? []).every((number) => numbers.has(number))
  )
}

/** The probability that weights give to an answer with these signals, 0–1. */
function probabilityOf(signals: Signals, { intercept, ...weights }: Weights): number {
  const names = Object.keys(weights) as (keyof Signals)[]
  const sum = names.reduce((sum, name) => sum + weights[name] * Number(signals[name]), intercept)
  return 1 / (1 + Math.exp(-sum))
}

/** Whether a question with these signals is answered. */
export function judge(signals: Signals | null, calibration: Calibration): Verdict {
  if (!signals) return "nothing_found"
  if (calibration.by === "words") {
    if (signals.coverage < calibration.coverageMin) return "too_far"
    return signals.typeMissing ? "type_missing" : "answered"
  }
  if (signals.nearness < calibration.nearnessMin) return "too_far"
  return probabilityOf(signals, calibration.weights) < calibration.probabilityMin ? "unlikely" : "answered"
}
