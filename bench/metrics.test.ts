import { expect, test } from "vitest"
import { percentile, recall, wilson } from "./metrics.ts"

const graded = new Map([
  ["a", 3],
  ["b", 2],
  ["c", 1],
  ["z", 0],
])

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

test("Wilson's interval of 8 in 10 equals the published one, and of all in 20 ends at 1", () => {
  const [low, high] = wilson(8, 10)
  expect([low, high].map((x) => Math.round(x * 1e4) / 1e4)).toEqual([0.4902, 0.9433])
  expect(wilson(20, 20)[1]).toBeCloseTo(1, 6)
  expect(wilson(20, 20)[0]).toBeCloseTo(0.8389, 4)
})
