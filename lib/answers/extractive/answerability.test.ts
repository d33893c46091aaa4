import { expect, test } from "vitest"
import type { SearchHit } from "../../search/response.ts"
import { judge, type Signals, signalsOf } from "./answerability.ts"
import type { Calibration } from "./calibrations.ts"
import type { Evidence } from "./gather-evidence.ts"

function evidence(question: string, text: string, similarities: readonly number[] = []): Evidence {
  const sentence = { passage: 0, start: 0, text, similarity: 0.6, reranked: 0.6, coverage: 0.5, score: 0.6 }
  return {
    question,
    language: "en",
    passages: [{ hit: { title: "Ferry" } as SearchHit, text, language: "en" }],
    sentences: [sentence],
    passageCoverage: [0.5],
    matches: similarities.map((similarity) => ({ word: "word", similarity })),
    degraded: [],
    warnings: [],
  }
}

test("one word that the passage never comes near, among others that it has, counts by its distance from them", () => {
  const unmet = (similarities: readonly number[]) => signalsOf(evidence("Who?", "Someone.", similarities))?.unmet
  expect(unmet([0.9, 0.9, 0.3])).toBeCloseTo(0.6)
  expect(unmet([0.45, 0.4, 0.35])).toBeCloseTo(0.075)
  expect(unmet([0.3])).toBe(0)
})

test.each([
  ["When did the Halcyon sail?", "The Halcyon sailed in May.", false],
  ["When did the Halcyon's crew sail?", "The crew of the HALCYON sailed in May.", false],
  ["When did the Halcyon sail?", "The crew sailed in May.", true],
  ["How much rain fell in 1970?", "In 1963 there fell 1,140 mm.", true],
  ["How much rain fell in 1963?", "In 1963 there fell 1,140 mm.", false],
  ["How does the Ferry sail?", "Every day.", false],
])("%s: %s", (question, text, missing) => {
  expect(signalsOf(evidence(question, text))?.nameMissing).toBe(missing)
})

test("the best met word counts that the title doesn't have, in whatever form; of a question in the title's words the best of all", () => {
  const met = (...matches: readonly (readonly [string, number])[]) => {
    const found = evidence("Who?", "Someone.")
    return signalsOf({ ...found, matches: matches.map(([word, similarity]) => ({ word, similarity })) })?.met
  }
  expect(met(["ferry", 0.9], ["captain?", 0.4])).toBe(0.4)
  expect(met(["Ferry's", 0.9], ["captain's", 0.4], ["dog?", 0.2])).toBe(0.4)
  expect(met(["ferry?", 0.9])).toBe(0.9)
  expect(met()).toBe(0)
})

test("a passage without any of the question's words is told from one that has some", () => {
  const found = evidence("Who?", "Someone.")
  expect(signalsOf({ ...found, passageCoverage: [0] })?.noWordShared).toBe(true)
  expect(signalsOf({ ...found, passageCoverage: [0.01] })?.noWordShared).toBe(false)
})

const signals: Signals = {
  ...{ nearness: 0.6, coverage: 0.7, noWordShared: false, unmet: 0.1, met: 0.8 },
  ...{ typeMissing: false, nameMissing: false },
}
const weights = { intercept: -2.5, nearness: 2, noWordShared: 1, unmet: -4, met: 3, typeMissing: -2, nameMissing: -2 }
const models: Calibration = { by: "models", probabilityMin: 0.5, weights }

test("by models: each signal weighs, and none decides by itself", () => {
  expect(judge(signals, models)).toBe("answered")
  expect(judge({ ...signals, nearness: 0 }, models)).toBe("unlikely")
  expect(judge({ ...signals, met: 0.5 }, models)).toBe("unlikely")
  expect(judge({ ...signals, met: 0.5, noWordShared: true }, models)).toBe("answered")
  expect(judge({ ...signals, unmet: 0.3 }, models)).toBe("unlikely")
  expect(judge({ ...signals, typeMissing: true }, models)).toBe("unlikely")
  expect(judge({ ...signals, nameMissing: true }, models)).toBe("unlikely")
  const sure = { ...models, weights: { ...weights, intercept: 1 } }
  expect(judge({ ...signals, typeMissing: true }, sure)).toBe("answered")
  expect(judge(null, models)).toBe("nothing_found")
})

test("by words: too few of them are refused, and so is a missing kind of answer", () => {
  const words: Calibration = { by: "words", coverageMin: 0.61 }
  expect(judge(signals, words)).toBe("answered")
  expect(judge({ ...signals, coverage: 0.6 }, words)).toBe("too_far")
  expect(judge({ ...signals, typeMissing: true }, words)).toBe("type_missing")
})
