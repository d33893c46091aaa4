import { MINILM } from "../../inference/model-source.ts"
import type { Signals } from "./answerability.ts"

/** Of a logistic regression over the signals, in their own units; true counts as 1. */
export type Weights = Readonly<Record<"intercept" | keyof Signals, number>>

/** The limits beyond which a question is refused; `answerability.ts` says what they bound. */
export type Calibration =
  | {
      readonly by: "models"
      readonly nearnessMin: number
      /** Least probability of a right answer, 0–1, in a mixture like that of the questions it was chosen by. */
      readonly probabilityMin: number
      readonly weights: Weights
    }
  | { readonly by: "words"; readonly coverageMin: number }

/**
 * By the words alone, for whatever has no other: an installation without models, a question in a language that the embedder
 * doesn't understand, and models that nobody has calibrated, since each has a scale of its own. It refuses what is asked in
 * other words than the documents use.
 */
const BY_WORDS: Calibration = { by: "words", coverageMin: 0.64 }

/**
 * By the names of embedder and reranker. `concordance bench answers --calibrate` prints the entry of the models that are
 * configured, chosen on the choosing part of its questions alone.
 */
const CALIBRATIONS: Readonly<Record<string, Calibration>> = {
  [pairName(MINILM, `${MINILM} (late interaction)`)]: {
    by: "models",
    nearnessMin: 0.36,
    probabilityMin: 0.48,
    weights: {
      intercept: -2.614,
      nearness: 9.924,
      coverage: -1.052,
      unmet: -6.016,
      typeMissing: -2.845,
      nameMissing: -2.64,
    },
  },
}

/** How a pair of models is called in the table. */
export function pairName(embedder: string, reranker: string): string {
  return `${embedder} + ${reranker}`
}

/** The limits for these models, by name; null where one is missing, was late or can't read the question. */
export function calibrationFor(embedder: string | null, reranker: string | null): Calibration {
  if (embedder === null || reranker === null) return BY_WORDS
  return CALIBRATIONS[pairName(embedder, reranker)] ?? BY_WORDS
}
