import { expect, test } from "vitest"
import { batchesByLength } from "./batches.ts"

test("every input stands in one batch, and no batch exceeds the budget with its padding, but one long input alone", () => {
  const lengths = Array.from({ length: 300 }, (_, i) => 3 + ((i * 7919) % 600))
  const batches = batchesByLength(lengths, 512)
  expect(batches.flat().sort((a, b) => a - b)).toEqual(lengths.map((_, i) => i))
  for (const batch of batches) {
    const widest = Math.max(...batch.map((i) => lengths[i] as number))
    expect(batch.length === 1 || batch.length * widest <= 512).toBe(true)
  }
})

test("inputs of like length share a batch: padding costs under a tenth of mixed ones", () => {
  const lengths = Array.from({ length: 128 }, (_, i) => 5 + ((i * 7919) % 245))
  const padded = batchesByLength(lengths, 512).reduce(
    (sum, batch) => sum + batch.length * Math.max(...batch.map((i) => lengths[i] as number)),
    0,
  )
  expect(padded / lengths.reduce((sum, n) => sum + n, 0)).toBeLessThan(1.1)
})

test("no inputs make no batches", () => {
  expect(batchesByLength([], 512)).toEqual([])
})
