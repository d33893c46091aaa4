import { expect, test } from "vitest"
import { fitLogistic } from "./logistic.ts"

// Six of eight are right above the middle and two of eight below it: the odds are 3 and 1/3.
const rows = [0, 1].flatMap((x) => Array.from({ length: 8 }, () => [x * 10, 7]))
const right = [0, 1].flatMap((x) => Array.from({ length: 8 }, (_, i) => i < (x === 1 ? 6 : 2)))

test("without a penalty the weights give back the odds, in the columns' own units, and a constant column says nothing", () => {
  const [intercept, slope = 0, constant] = fitLogistic(rows, right, 1e-9)
  expect(intercept).toBeCloseTo(Math.log(1 / 3), 5)
  expect(slope * 10).toBeCloseTo(Math.log(9), 5)
  expect(constant).toBeCloseTo(0, 5)
})

test("a penalty shrinks the weights and leaves the share of right ones", () => {
  const [intercept = 0, slope = 0] = fitLogistic(rows, right, 5)
  expect(slope * 10).toBeGreaterThan(0.1)
  expect(slope * 10).toBeLessThan(Math.log(9) - 0.5)
  expect(intercept + slope * 5).toBeCloseTo(0, 6)
})
