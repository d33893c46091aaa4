import { expect, test } from "vitest"
import { randomFrom } from "../lib/random.ts"
import { misspell } from "./misspell.ts"

const TEXT = "Which plants live by photosynthesis?"

test("one telling word is changed by one slip, and nothing else", () => {
  const random = randomFrom(1)
  const kinds = new Set<number>()
  for (let i = 0; i < 200; i++) {
    const made = misspell(TEXT, random)
    const right = made?.text.startsWith("Which plants live by ") ? "photosynthesis" : "plants"
    expect(made?.text.toLowerCase()).toBe(TEXT.toLowerCase().replace(right, made?.word ?? ""))
    expect(made?.without).toBe(TEXT.replace(right, ""))
    expect(made?.word.at(0)).toBe(right.at(0))
    kinds.add((made?.word.length ?? 0) - right.length)
  }
  expect([...kinds].sort()).toEqual([-1, 0, 1])
})

test("the same seed makes the same slips, and a text of small words none", () => {
  expect(misspell(TEXT, randomFrom(3))).toEqual(misspell(TEXT, randomFrom(3)))
  expect(misspell("Which of these is it, fog or mist?", randomFrom(1))).toBeNull()
})
