import { describe, expect, test } from "vitest"
import { candidate } from "../../../tests/candidates.ts"
import { randomFrom } from "../../random.ts"
import { bestSetting, crossValidate } from "./cross-validate.ts"
import type { GatheredQuestion } from "./gather-questions.ts"
import { tuneShares } from "./tune-shares.ts"

const random = randomFrom(3)

interface World {
  /** How well each score knows the relevant document, 0 for not at all. */
  readonly meaning: number
  readonly words: number
  readonly reranker?: number
}

/** Questions of 30 candidates each, of which one is relevant; scores are chance, and what is added to the relevant one's. */
function questionsOf(count: number, { meaning, words, reranker }: World): GatheredQuestion[] {
  return Array.from({ length: count }, () => {
    const relevant = Math.floor(random() * 30)
    const score = (skill: number, at: number) => random() + (at === relevant ? skill : 0)
    const candidates = Array.from({ length: 30 }, (_, at) =>
      candidate(`d${at}`, { similarity: score(meaning, at), bm25: score(words, at) }),
    )
    const reranked = new Map(
      reranker === undefined ? [] : candidates.map(({ key }, at) => [key, score(reranker, at)] as const),
    )
    return { judgements: new Map([[`d${relevant}`, 1]]), candidates, reranked }
  })
}

test("where only meaning knows, more of it is learnt, and its gain is significant with 50 questions", () => {
  const { alpha, rerank } = tuneShares(questionsOf(50, { meaning: 0.9, words: 0 }), null, 15)
  expect(alpha.learnt).toBeGreaterThan(0.7)
  expect(alpha).toMatchObject({ standard: 0.5, isSignificant: true })
  expect(alpha.gain.low).toBeGreaterThan(0)
  expect(alpha.after - alpha.before).toBeCloseTo(alpha.gain.mean, 9)
  expect(rerank).toBeNull()
})

test("where neither share knows more than the other, nothing is significant: chance is not learnt", () => {
  const found = Array.from(
    { length: 20 },
    () => tuneShares(questionsOf(50, { meaning: 0.5, words: 0.5 }), null, 15).alpha,
  )
  // One of 40 by the interval; the default itself being best takes more away.
  expect(found.filter(({ isSignificant }) => isSignificant).length).toBeLessThanOrEqual(2)
})

test("a reranker that knows gets a larger share, one that knows nothing none that is significant or a smaller one", () => {
  const knows = tuneShares(questionsOf(60, { meaning: 0.3, words: 0.3, reranker: 1 }), {}, 30).rerank
  expect(knows).toMatchObject({ isSignificant: true })
  expect(knows?.learnt).toBeGreaterThan(knows?.standard ?? 1)
  const guesses = tuneShares(questionsOf(60, { meaning: 0.6, words: 0.6, reranker: 0 }), {}, 30).rerank
  expect(guesses?.learnt).toBeLessThanOrEqual(guesses?.standard ?? 0)
})

test("the same questions give the same figures", () => {
  const questions = questionsOf(50, { meaning: 0.6, words: 0.3, reranker: 0.5 })
  expect(tuneShares(questions, {}, 15)).toEqual(tuneShares(questions, {}, 15))
})

describe("cross-validation", () => {
  test("no question is asked under what it helped to choose, and each is asked once a division", () => {
    const asked = new Map<number, number>()
    crossValidate(
      53,
      (training) => new Set(training),
      (chosen, at) => {
        expect(chosen.has(at)).toBe(false)
        expect(chosen.size).toBeGreaterThanOrEqual(42)
        asked.set(at, (asked.get(at) ?? 0) + 1)
        return 0
      },
      randomFrom(1),
    )
    expect([...asked.values()]).toEqual(new Array(53).fill(20))
  })

  test("of settings as good as each other the one nearest to the default is chosen, and a lone peak loses to a broad one", () => {
    const row = (value: number) => [value, value]
    expect(bestSetting([row(0.4), row(0.4), row(0.4)], [0, 1], 1)).toBe(1)
    expect(bestSetting([0.1, 0.62, 0.1, 0.5, 0.6, 0.59, 0.4].map(row), [0, 1], 0)).toBe(4)
  })
})
