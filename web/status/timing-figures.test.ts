import { expect, test } from "vitest"
import { formatMs, percentile, scaleOf, toBar } from "./timing-figures.ts"

test("percentiles are by nearest rank: a value that was measured, and the only one of one", () => {
  const values = [5, 1, 4, 2, 3, 10, 9, 8, 7, 6]
  expect(percentile(values, 0.5)).toBe(5)
  expect(percentile(values, 0.95)).toBe(10)
  expect(percentile([7], 0.5)).toBe(7)
  expect(percentile([], 0.5)).toBeNull()
})

test("the parts of a bar add up to its total, unknown stages included", () => {
  const stages = [
    { stage: "embed", ms: 5 },
    { stage: "rank", ms: 10 },
    { stage: "cite", ms: 1 },
    { stage: "newer", ms: 2 },
  ]
  expect(toBar({ at: 1, totalMs: 20, stages }).parts).toEqual({ meaning: 5, find: 10, rerank: 0, other: 3, way: 2 })
  // A clock that ran differently takes nothing away.
  expect(toBar({ at: 1, totalMs: 10, stages }).parts.way).toBe(0)
})

test("a scale reaches its value in at most five round steps", () => {
  for (const value of [0, 0.4, 1, 7, 30, 87, 163, 999, 1_000, 12_345]) {
    const { top, marks } = scaleOf(value)
    expect(top).toBeGreaterThanOrEqual(value)
    expect(marks[0]).toBe(0)
    expect(marks.at(-1)).toBe(top)
    expect(marks.length).toBeLessThanOrEqual(6)
    expect(top).toBeLessThanOrEqual(Math.max(value * 2, 1))
  }
  expect(scaleOf(163).marks).toEqual([0, 50, 100, 150, 200])
})

test("times are said with the unit that fits", () => {
  expect([3.14, 87.4, 999.4, 1_420].map(formatMs)).toEqual(["3.1 ms", "87 ms", "999 ms", "1.4 s"])
})
