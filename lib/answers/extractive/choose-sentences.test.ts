import { expect, test } from "vitest"
import { chooseSentences } from "./choose-sentences.ts"
import type { QuotablePassage } from "./quotable-sentences.ts"
import type { ScoredSentence } from "./score-sentences.ts"

const scored = (passage: number, start: number, text: string, score: number): ScoredSentence => ({
  ...{ passage, start, text, score },
  similarity: score,
  reranked: score,
  coverage: 0,
})
const passages = ["", "", ""].map((text) => ({ text, language: "en" }) as QuotablePassage)
const textsOf = (ranked: readonly ScoredSentence[], from = passages) =>
  chooseSentences(ranked, from).map(({ text }) => text)

test("the best passage comes first, its sentences in the order of the text", () => {
  const ranked = [
    scored(1, 50, "The lamp burns paraffin.", 0.9),
    scored(0, 0, "Oil is dear.", 0.88),
    scored(1, 0, "It is lit at dusk.", 0.87),
  ]
  expect(textsOf(ranked)).toEqual(["It is lit at dusk.", "The lamp burns paraffin.", "Oil is dear."])
})

test("what is far behind the best, says the same again or is of a third passage is left out", () => {
  const ranked = [
    scored(0, 0, "The lamp burns 38 litres of paraffin.", 0.9),
    scored(1, 0, "The lamp burns 11 litres of paraffin.", 0.89),
    scored(1, 40, "Goats are forbidden.", 0.88),
    scored(2, 0, "Rockets are fired.", 0.87),
    scored(0, 40, "Nothing of the kind.", 0.5),
  ]
  expect(textsOf(ranked)).toEqual(["The lamp burns 38 litres of paraffin.", "Goats are forbidden."])
})

test("four sentences at most", () => {
  const ranked = ["alpha", "beta", "gamma", "delta", "epsilon"].map((word, i) => scored(0, i, word, 0.9))
  expect(textsOf(ranked)).toHaveLength(4)
})

test("a row of a table brings the table's head", () => {
  const table = "Ice\n\nQuarter | Made\nApril | 204\nJuly | 287"
  const ranked = [scored(0, 33, "July | 287", 0.9)]
  expect(textsOf(ranked, [{ text: table, language: "en" } as QuotablePassage])).toEqual([
    "Quarter | Made",
    "July | 287",
  ])
})

test("nothing of nothing", () => {
  expect(textsOf([])).toEqual([])
})
