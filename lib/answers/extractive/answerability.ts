import { askedFor, holdsType } from "./answer-type.ts"
import type { Calibration } from "./calibrations.ts"
import type { Evidence } from "./gather-evidence.ts"

/** What tells whether a question is answered by what was found. */
export interface Signals {
  /** Mean of the best sentence's cosine and its reranker's score: off the documents' topics it is low. */
  readonly nearness: number
  /** Share of the question's words in the best sentence's passage, by IDF, 0–1. */
  readonly coverage: number
  /**
   * How much nearer the passage comes to one word of the question than to another; 0 where no model can tell. A passage on the
   * question's subject that never says what is asked has the subject's words (.9) and nothing like the other (.3). One that
   * answers has all of them, or, in other words, none (.3 to .6).
   */
  readonly unmet: number
  /** A number, a date, a sum or a person is asked for, and the passage's best sentences have none. */
  readonly typeMissing: boolean
}

/** `answered`, or why not. */
export type Verdict = "answered" | "nothing_found" | "too_far" | "unmet_word" | "type_missing"

/** Sentences of the best passage in which the kind of thing that was asked for may stand. */
const TYPE_SENTENCES = 2

/** The signals of what was found; null where nothing was. */
export function signalsOf({ question, sentences, passageCoverage, matches }: Evidence): Signals | null {
  const [best] = sentences
  if (!best) return null
  const type = askedFor(question)
  const near = sentences.filter(({ passage }) => passage === best.passage).slice(0, TYPE_SENTENCES)
  const met = (matches ?? []).map(({ similarity }) => similarity)
  return {
    nearness: best.score,
    coverage: passageCoverage[best.passage] ?? 0,
    unmet: met.length > 1 ? Math.max(...met) - Math.min(...met) : 0,
    typeMissing: type !== null && !near.some(({ text }) => holdsType(text, type)),
  }
}

/** Whether a question with these signals is answered: three checks, of which each alone refuses. */
export function judge(signals: Signals | null, calibration: Calibration): Verdict {
  if (!signals) return "nothing_found"
  const { nearness, coverage, unmet, typeMissing } = signals
  if (calibration.by === "words") {
    if (coverage < calibration.coverageMin) return "too_far"
  } else {
    if (nearness < calibration.nearnessMin) return "too_far"
    if (unmet > calibration.unmetMax) return "unmet_word"
  }
  return typeMissing ? "type_missing" : "answered"
}
