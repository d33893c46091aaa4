import { expect, test } from "vitest"
import { createPageOffsets } from "./page-offsets.ts"

test("a page is found by where it stands, measured pages among estimated ones", () => {
  const offsets = createPageOffsets(4, () => 100)
  expect([offsets.at(-5), offsets.at(99), offsets.at(100), offsets.at(9_000)]).toEqual([0, 0, 1, 3])
  expect(offsets.measured(1, 250)).toBe(true)
  expect([offsets.of(2), offsets.total(), offsets.at(349), offsets.at(350)]).toEqual([350, 550, 1, 2])
})

test("a height that is the same but for rounding changes nothing", () => {
  const offsets = createPageOffsets(2, () => 100)
  expect(offsets.measured(0, 100.3)).toBe(false)
  expect(offsets.of(1)).toBe(100)
})

test("a document without pages has no height", () => {
  const offsets = createPageOffsets(0, () => 100)
  expect([offsets.total(), offsets.at(10)]).toEqual([0, 0])
})
