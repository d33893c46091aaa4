import { judge, type Signals, signalsOf } from "../lib/answers/extractive/answerability.ts"
import type { Calibration, Weights } from "../lib/answers/extractive/calibrations.ts"
import { type EvidenceDeps, gatherEvidence } from "../lib/answers/extractive/gather-evidence.ts"
import { AnswerRequest } from "../lib/answers/request.ts"
import { createStepper } from "../lib/answers/stepper.ts"
import { deadlineIn } from "../lib/deadline.ts"
import { randomFrom } from "../lib/random.ts"
import type { AnswerQuestion } from "./answer-questions.ts"
import { SAMPLES_TENANT } from "./answers.ts"
import { fitLogistic } from "./logistic.ts"
import { round } from "./metrics.ts"

/** A question as the limits see it. */
export interface Example {
  readonly kind: AnswerQuestion["kind"]
  readonly signals: Signals | null
  /** Whether the best sentence is of a document that answers. */
  readonly right: boolean
  /** Whether embedder and reranker both had their say; otherwise the words decide. */
  readonly byModels: boolean
}

const TIMEOUT_MS = 600_000
const FOLDS = 5
const REPEATS = 10
const STEP = 0.01
/**
 * What the limits must refuse of the questions that they are chosen by: what is wanted of other questions, .95 and .7 (issue 5),
 * with room for how those differ.
 */
const OFF_TOPIC_REFUSED_MIN = 0.97
const NEAR_MISS_REFUSED_MIN = 0.75
/** Of the regression's weights; with 1 and 10 it answers within .02 as many rightly, cross-validated. */
const PENALTY = 3
/**
 * How many words a question has is none of the signals, though it would gain .1: in these questions the off-topic ones are short
 * and those in other words long, and that says how they were written. Among questions of one length it gains nothing.
 */
const SIGNALS = [
  "nearness",
  "noWordShared",
  "unmet",
  "met",
  "typeMissing",
  "nameMissing",
] as const satisfies readonly Exclude<keyof Weights, "intercept">[]

/** Gathers the evidence of each question. */
export async function examplesOf(
  deps: EvidenceDeps,
  questions: readonly AnswerQuestion[],
  onAsked: (count: number) => void = () => {},
): Promise<Example[]> {
  const examples: Example[] = []
  for (const { question, kind, sources } of questions) {
    const request = AnswerRequest.parse({ question })
    const evidence = await gatherEvidence(deps, SAMPLES_TENANT, request, deadlineIn(TIMEOUT_MS), createStepper())
    const [best] = evidence.sentences
    examples.push({
      kind,
      signals: signalsOf(evidence),
      right: best !== undefined && sources.includes(evidence.passages[best.passage]?.hit.id ?? ""),
      byModels: best?.similarity != null && best.reranked != null,
    })
    onAsked(examples.length)
  }
  return examples
}

/** Shares, 0–1. */
export interface Outcome {
  readonly right: number
  readonly off_topic_refused: number
  readonly near_miss_refused: number
}

/** What limits would have done. */
export function outcomeOf(examples: readonly Example[], calibration: Calibration): Outcome {
  const answers = (example: Example): boolean => judge(example.signals, calibration) === "answered"
  const answerable = examples.filter(({ kind }) => kind === "answerable" || kind === "no_shared_word")
  const refused = (of: Example["kind"]): number => {
    const asked = examples.filter(({ kind }) => kind === of)
    return round(asked.filter((example) => !answers(example)).length / asked.length, 3)
  }
  return {
    right: round(answerable.filter((example) => example.right && answers(example)).length / answerable.length, 3),
    off_topic_refused: refused("off_topic"),
    near_miss_refused: refused("near_miss"),
  }
}

/** What no limit can better: of the answerable, the share whose best sentence is of a document that answers. */
export function foundShares(
  examples: readonly Example[],
): Readonly<Record<"all" | "shared_words" | "other_words", number>> {
  const found = (...kinds: readonly Example["kind"][]): number => {
    const asked = examples.filter(({ kind }) => kinds.includes(kind))
    return round(asked.filter(({ right }) => right).length / asked.length, 3)
  }
  return {
    all: found("answerable", "no_shared_word"),
    shared_words: found("answerable"),
    other_words: found("no_shared_word"),
  }
}

/** The limits that answer most rightly and still refuse enough; of several that do so equally the middle one. */
export function chooseLimits(examples: readonly Example[], by: Calibration["by"]): Calibration {
  const best: Calibration[] = []
  let most = Number.NEGATIVE_INFINITY
  for (const calibration of by === "words" ? wordLimits() : modelLimits(examples)) {
    const value = worth(outcomeOf(examples, calibration))
    if (value > most) best.length = 0
    if (value >= most) best.push(calibration)
    most = Math.max(most, value)
  }
  return best[best.length >> 1] as Calibration
}

/** The right answers; where too few questions are refused, what is missing, as a negative number. */
function worth({ right, off_topic_refused, near_miss_refused }: Outcome): number {
  const missing =
    Math.max(0, OFF_TOPIC_REFUSED_MIN - off_topic_refused) + Math.max(0, NEAR_MISS_REFUSED_MIN - near_miss_refused)
  return round(missing > 0 ? -missing : right, 6)
}

/** Limits chosen on four fifths and judged on the fifth, in turn, over several divisions: how well the choice carries over. */
export function crossValidate(examples: readonly Example[], by: Calibration["by"]): Outcome {
  const random = randomFrom(1)
  const judged = Array.from({ length: REPEATS }, () => {
    const folds = foldsOf(examples, random)
    return folds.flatMap((fold) => {
      const chosen = chooseLimits(folds.filter((other) => other !== fold).flat(), by)
      return fold.map((example) => ({ ...example, answered: judge(example.signals, chosen) === "answered" }))
    })
  }).flat()
  const shareOf = (kinds: readonly Example["kind"][], is: (one: (typeof judged)[number]) => boolean): number => {
    const asked = judged.filter(({ kind }) => kinds.includes(kind))
    return round(asked.filter(is).length / asked.length, 3)
  }
  return {
    right: shareOf(["answerable", "no_shared_word"], ({ answered, right }) => answered && right),
    off_topic_refused: shareOf(["off_topic"], ({ answered }) => !answered),
    near_miss_refused: shareOf(["near_miss"], ({ answered }) => !answered),
  }
}

/** Each kind of question dealt out at random, so that every fold has its share. */
function foldsOf(examples: readonly Example[], random: () => number): Example[][] {
  const dealt = examples.map((example) => ({ example, at: random() })).sort((a, b) => a.at - b.at)
  const ordered = dealt.map(({ example }) => example).sort((a, b) => a.kind.localeCompare(b.kind))
  return Array.from({ length: FOLDS }, (_, fold) => ordered.filter((_, index) => index % FOLDS === fold))
}

function wordLimits(): Calibration[] {
  return steps(0.1, 0.9).map((coverageMin) => ({ by: "words", coverageMin }))
}

/** The regression of these examples, under every limit. */
function modelLimits(examples: readonly Example[]): Calibration[] {
  const weights = weightsOf(examples)
  return steps(0.1, 0.9).map((probabilityMin) => ({ by: "models", probabilityMin, weights }))
}

function weightsOf(examples: readonly Example[]): Weights {
  const found = examples.flatMap(({ signals, right }) => (signals ? [{ signals, right }] : []))
  const rows = found.map(({ signals }) => SIGNALS.map((name) => Number(signals[name])))
  const [intercept = 0, ...slopes] = fitLogistic(
    rows,
    found.map(({ right }) => right),
    PENALTY,
  )
  const weights = Object.fromEntries(SIGNALS.map((name, i) => [name, round(slopes[i] ?? 0, 3)]))
  return { intercept: round(intercept, 3), ...(weights as Omit<Weights, "intercept">) }
}

const steps = (from: number, to: number): number[] =>
  Array.from({ length: Math.round((to - from) / STEP) + 1 }, (_, i) => round(from + i * STEP, 2))
