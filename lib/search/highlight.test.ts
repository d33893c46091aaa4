import { expect, test } from "vitest"
import { highlightWords } from "./highlight.ts"

const marked = (text: string, words: string[]) =>
  highlightWords(text, words).map(({ start, end }) => text.slice(start, end))

test("marks every whole word, and no part of a longer one", () => {
  expect(highlightWords("wind, rewind; wind-mill windy wind", ["wind"])).toEqual([
    { start: 0, end: 4 },
    { start: 14, end: 18 },
    { start: 30, end: 34 },
  ])
})

test("offsets are UTF-16 units, also behind characters of two units", () => {
  const text = "😀 wind 𝔴𝔦𝔫𝔡 wind"
  expect(highlightWords(text, ["wind"])).toEqual([
    { start: 3, end: 7 },
    { start: 17, end: 21 },
  ])
  expect(marked(text, ["𝔴𝔦𝔫𝔡"])).toEqual(["𝔴𝔦𝔫𝔡"])
  expect(marked("𝔴𝔦𝔫𝔡", ["𝔴𝔦𝔫"])).toEqual([])
})

test("where two words start alike the longer one is marked", () => {
  expect(marked("a wind-mill and wind", ["wind", "wind-mill"])).toEqual(["wind-mill", "wind"])
})

test.each([
  ["C++"],
  ["a.b"],
  ["$9"],
  ["[x]"],
  ["(y"],
  ["^z"],
  ["w|v"],
  ["back\\slash"],
  ["u/t"],
  ["{s}"],
  ["*"],
  ["-"],
])("characters that mean something to a regular expression are themselves: %s", (word) => {
  expect(marked(`say ${word} now`, [word])).toEqual([word])
  expect(marked("say anything", [word])).toEqual([])
})

test("accents and case are those of the text", () => {
  expect(marked("Informação e informação", ["Informação"])).toEqual(["Informação"])
})

test("nothing to mark marks nothing, and a page of matches is bounded", () => {
  expect(highlightWords("text", [])).toEqual([])
  expect(highlightWords("a ".repeat(500), ["a"])).toHaveLength(100)
})
