import { expect, test } from "vitest"
import { sparsePassage, sparseQuestion } from "./sparse-words.ts"
import { rankWords } from "./word-ranking.ts"

const passage = (text: string, title?: string) => sparsePassage({ text, payload: title === undefined ? {} : { title } })

function product(question: string, text: string, title?: string): number {
  const words = passage(text, title)
  const weights = new Map(words.indices.map((index, i) => [index, words.values[i] as number]))
  const asked = sparseQuestion(question)
  return asked.indices.reduce((sum, index, i) => sum + (asked.values[i] as number) * (weights.get(index) ?? 0), 0)
}

test("a question's product with a passage is its BM25 but for the IDF", () => {
  const texts = [
    { title: "Ropes", content: "a rope and an anchor, ropes" },
    { title: "", content: "the anchors of the schooner lay in the long grass behind the harbour office" },
    { title: "", content: "no such thing" },
  ]
  // Each of one word, so that the IDF is one factor for all.
  for (const word of ["rope", "anchor"]) {
    const exact = rankWords(word, texts)
    const products = texts.map(({ title, content }) => product(word, content, title))
    const factor = (exact[0] as number) / (products[0] as number)
    for (const [i, value] of products.entries()) expect(value * factor).toBeCloseTo(exact[i] as number, 9)
  }
})

test("accents, case and plurals don't keep a word from being found, and stop words are not asked", () => {
  expect(product("CAFÉS", "a naïve cafe")).toBeGreaterThan(0)
  expect(sparseQuestion("where is the of").indices).toEqual([])
  expect(sparseQuestion("where is the binnacle").indices).toHaveLength(1)
})

test("dimensions ascend, each once, and are the heaviest thousand", () => {
  const many = Array.from({ length: 3_000 }, (_, i) => `word${i}x`).join(" ")
  const { indices, values } = passage(`${many} binnacle binnacle`)
  expect(indices).toHaveLength(1_000)
  expect(values).toHaveLength(1_000)
  expect(indices).toEqual([...new Set(indices)].toSorted((a, b) => a - b))
  expect(indices.every((index) => Number.isInteger(index) && index >= 0 && index < 2 ** 32)).toBe(true)
  expect(product("binnacle", `${many} binnacle binnacle`)).toBeGreaterThan(0)
})
