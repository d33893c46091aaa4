import type { WordMatch } from "../../inference/inference.ts"
import { askedFor, holdsType } from "./answer-type.ts"
import type { Calibration, Weights } from "./calibrations.ts"
import type { Evidence } from "./gather-evidence.ts"

/** What tells whether a question is answered by what was found. */
export interface Signals {
  /** The best sentence's score: off the documents' topics it is low. */
  readonly nearness: number
  /** Share of the question's words in the best sentence's passage, by IDF, 0–1; for the words' limit alone. */
  readonly coverage: number
  /**
   * The passage has none of the question's words. A near miss has its subject's; what is near all the same has either an answer
   * in other words or nothing to do with the question, and nearness tells the two apart.
   */
  readonly noWordShared: boolean
  /**
   * How much less near the passage comes to one word of the question than to the others, on average; 0 where no model can tell.
   * A passage on the question's subject that never says what is asked has the subject's words (.9) and nothing like the other
   * (.3). One that answers has all of them, or, in other words, none (.3 to .6).
   */
  readonly unmet: number
  /**
   * How near the passage comes to that word of the question, beyond those in its title, to which it comes nearest; 0 where no
   * model can tell. The title's words name the subject, which a near miss has as well; what is asked of it is in the others.
   */
  readonly met: number
  /** A number, a measure, a colour, a date, a sum or a person is asked for, and the passage's best sentences have none. */
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
  const coverage = passageCoverage[best.passage] ?? 0
  return {
    nearness: best.score,
    coverage,
    noWordShared: coverage === 0,
    unmet: unmetOf((matches ?? []).map(({ similarity }) => similarity)),
    met: metBeyond(from?.hit.title ?? "", matches ?? []),
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

/** The similarity of the best met word that the title doesn't have; of a question in the title's words the best of all. */
function metBeyond(title: string, matches: readonly WordMatch[]): number {
  const named = new Set((title.match(WORD) ?? []).map(stemOf))
  const beyond = matches.filter(({ word }) => !(word.match(WORD) ?? []).some((part) => named.has(stemOf(part))))
  return Math.max(0, ...(beyond.length > 0 ? beyond : matches).map(({ similarity }) => similarity))
}

/** A genitive's single letter is none. */
const WORD = /[\p{L}\p{N}]{2,}/gu

/** A stemmer of sorts for both languages: five letters; four to six do as well. */
const stemOf = (word: string): string => word.toLowerCase().slice(0, 5)

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
  const names = Object.keys(weights) as (keyof typeof weights)[]
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
  return probabilityOf(signals, calibration.weights) < calibration.probabilityMin ? "unlikely" : "answered"
}
