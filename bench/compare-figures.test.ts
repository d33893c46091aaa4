import { expect, test } from "vitest"
import { betterRatios, compareFigures } from "./compare-figures.ts"

const baseline = { shares: { ndcg: 0.8 }, ratios: { speedup: 10 } }
const held = (now: Parameters<typeof compareFigures>[1]) => compareFigures(baseline, now).map((figure) => figure.held)

test("a share may fall by .01 and a ratio to .7 of its baseline, and no further", () => {
  expect(held({ shares: { ndcg: 0.7901 }, ratios: { speedup: 7.01 } })).toEqual([true, true])
  expect(held({ shares: { ndcg: 0.7899 }, ratios: { speedup: 6.99 } })).toEqual([false, false])
})

test("a figure that got better holds", () => {
  expect(held({ shares: { ndcg: 0.9 }, ratios: { speedup: 30 } })).toEqual([true, true])
})

test("a figure of the baseline that the run doesn't measure doesn't hold", () => {
  expect(held({ shares: {}, ratios: {} })).toEqual([false, false])
})

test("of two measurements the better ratio counts, and the shares of the first", () => {
  const first = { shares: { ndcg: 0.8 }, ratios: { a: 1, b: 4 } }
  const second = { shares: { ndcg: 0.9 }, ratios: { a: 2, b: 3 } }
  expect(betterRatios(first, second)).toEqual({ shares: { ndcg: 0.8 }, ratios: { a: 2, b: 4 } })
})
