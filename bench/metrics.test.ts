import { expect, test } from "vitest"
import { mean, ndcg, overlap, percentile, recall, wilson } from "./metrics.ts"

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

test("recall is the share of relevant documents found, and a grade of 0 isn't relevant", () => {
  expect(recall(["z", "c", "a"], graded)).toBeCloseTo(2 / 3, 9)
  expect(recall(["z", "x", "a"], graded, 2)).toBe(0)
})

test("percentiles are the nearest rank", () => {
  const values = [15, 20, 35, 40, 50]
  expect(percentile(values, 30)).toBe(20)
  expect(percentile(values, 50)).toBe(35)
  expect(percentile(values, 100)).toBe(50)
  expect(percentile(values, 0)).toBe(15)
  expect(percentile([], 50)).toBeNaN()
})

test("overlap and mean", () => {
  expect(overlap(["a", "b"], ["b", "c"])).toBe(0.5)
  expect(overlap([], ["b"])).toBe(1)
  expect(mean([1, 2, 6])).toBe(3)
})

test("Wilson's interval of 8 in 10 equals the published one, and of all in 20 ends at 1", () => {
  const [low, high] = wilson(8, 10)
  expect([low, high].map((x) => Math.round(x * 1e4) / 1e4)).toEqual([0.4902, 0.9433])
  expect(wilson(20, 20)[1]).toBeCloseTo(1, 6)
  expect(wilson(20, 20)[0]).toBeCloseTo(0.8389, 4)
})
