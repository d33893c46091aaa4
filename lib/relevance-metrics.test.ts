import { expect, test } from "vitest"
import { randomFrom } from "./random.ts"
import { bootstrapMean, mean, ndcg, overlap } from "./relevance-metrics.ts"

const graded = new Map([
  ["a", 3],
  ["b", 2],
  ["c", 1],
  ["z", 0],
])

test("nDCG of graded judgements equals a hand-computed value", () => {
  // b at 1, unjudged at 2, a at 3, c at 4: 2/log2(2) + 3/log2(4) + 1/log2(5) = 2 + 1.5 + .430677
  // ideal a, b, c: 3 + 2/log2(3) + 1/log2(4) = 3 + 1.261860 + .5
  expect(ndcg(["b", "x", "a", "c"], graded)).toBeCloseTo(3.930677 / 4.76186, 6)
})

test("nDCG is 1 for the ideal order, and 0 for no hit and for a query without a relevant document", () => {
  expect(ndcg(["a", "b", "c", "z"], graded)).toBe(1)
  expect(ndcg([], graded)).toBe(0)
  expect(ndcg(["z"], new Map([["z", 0]]))).toBe(0)
})

test("nDCG looks at the first ten only, on both sides", () => {
  const many = new Map(Array.from({ length: 12 }, (_, index) => [`d${index}`, 1]))
  expect(ndcg([...many.keys()].slice(0, 10), many)).toBe(1)
  const tenOthers = Array.from({ length: 10 }, (_, index) => `x${index}`)
  expect(ndcg([...tenOthers, "d0"], many)).toBe(0)
})

test("nDCG counts a repeated document once", () => {
  expect(ndcg(["c", "c", "c"], graded)).toBeCloseTo(1 / 4.76186, 6)
})

test("overlap and mean", () => {
  expect(overlap(["a", "b"], ["b", "c"])).toBe(0.5)
  expect(overlap([], ["b"])).toBe(1)
  expect(mean([1, 2, 6])).toBe(3)
})

test("the bootstrap interval holds the mean, narrows with the number of values, and is none for values all alike", () => {
  const random = randomFrom(7)
  const values = (count: number) => Array.from({ length: count }, (_, i) => i % 2)
  const few = bootstrapMean(values(10), random)
  const many = bootstrapMean(values(1_000), random)
  expect(few.low).toBeLessThan(0.5)
  expect(few.high).toBeGreaterThan(0.5)
  // 1.96 standard errors of a fair coin: .031 of 1,000 throws, .31 of 10.
  expect(many.high - many.low).toBeCloseTo(0.062, 2)
  expect(few.high - few.low).toBeGreaterThan(0.4)
  expect(bootstrapMean([0.4, 0.4, 0.4], random)).toEqual({
    mean: expect.closeTo(0.4),
    low: expect.closeTo(0.4),
    high: expect.closeTo(0.4),
  })
})
