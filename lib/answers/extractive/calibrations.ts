import { MINILM } from "../../inference/model-source.ts"
import type { Signals } from "./answerability.ts"

/** Of a logistic regression over the signals, in their own units; true counts as 1. */
export type Weights = Readonly<Record<"intercept" | Exclude<keyof Signals, "coverage">, number>>

/** The limits beyond which a question is refused; `answerability.ts` says what they bound. */
export type Calibration =
  | {
      readonly by: "models"
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
const BY_WORDS: Calibration = { by: "words", coverageMin: 0.59 }

/**
 * By the names of embedder and reranker. `concordance bench answers --calibrate` prints the entry of the models that are
 * configured, chosen on all of its questions but the part that is reported by.
 */
const CALIBRATIONS: Readonly<Record<string, Calibration>> = {
  [pairName(MINILM, `${MINILM} (late interaction)`)]: {
    by: "models",
    probabilityMin: 0.45,
    weights: {
      intercept: -7.819,
      nearness: 8.571,
      // biome-ignore lint/suspicious/noApproximativeNumericConstant: fitted, and near e by chance.
      noWordShared: 2.718,
      unmet: -5.976,
      met: 6.375,
      typeMissing: -2.279,
      nameMissing: -2.731,
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
