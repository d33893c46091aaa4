import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Library, openLibrary } from "../../tests/library.ts"
import { randomFrom } from "../random.ts"
import { parseQuestion } from "../search/question.ts"
import { allowsText, matchingWords, rankWords, wordsOf } from "./word-ranking.ts"

describe("against the database", () => {
  let library: Library
  beforeAll(async () => {
    library = await openLibrary()
  })
  afterAll(() => library.close())

  test("BM25 over all texts is the BM25 that SQL gives them", async () => {
    const random = randomFrom(5)
    const vocabulary = ["mar", "vent", "port", "phare", "bateau", "corde", "voile", "quai", "brume", "cloche"]
    const words = (count: number) =>
      Array.from({ length: count }, () => vocabulary[Math.floor(random() ** 2 * 10)]).join(" ")
    // `fr` is of the lexicon `simple`: words are their own lexemes, so that only the formula is compared.
    const texts = Array.from({ length: 40 }, (_, i) => ({
      id: `d${i}`,
      title: words(i % 3),
      content: words(3 + (i % 150)),
      language: "fr",
    }))
    await library.index("t", texts, { embedder: null })
    for (const query of ["cloche brume", "mar mar voile", "phare", "quai corde bateau port"]) {
      const { results } = await library.search(
        "t",
        { query, strategy: "lexical", group_by: "chunk", top_k: 50 },
        { embedder: null },
      )
      const scores = rankWords(query, texts)
      for (const { id, text_rank: stored } of results) expect(scores[Number(id.slice(1))]).toBeCloseTo(stored ?? 0, 4)
      expect(scores.filter((score) => score > 0)).toHaveLength(results.length)
    }
  })
})

test.each([
  ["Ships, SHIP’s ship", ["ship", "ship", "s", "ship"]],
  ["cities city dies", ["city", "city", "die"]],
  ["glass status bus", ["glass", "status", "bus"]],
  ["correções Correcção", ["correcoe", "correccao"]],
  ["日本 2024-05", ["日本", "2024", "05"]],
])("the words of %j are %j", (text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

test.each([
  ['"salt cod"', true],
  ['"cod salt"', false],
  ['"Salt Cods"', true],
  ["-herring", true],
  ["-cod", false],
  ['-"cod salt"', true],
  ['-"salt cod"', false],
  ['"..."', true],
  ["anything at all", true],
])("%s allows “The salt cod”: %s", (query, expected) => {
  expect(allowsText(parseQuestion(query), { title: "", content: "The salt cod" })).toBe(expected)
})

test("a phrase doesn't run on from the title into the text", () => {
  expect(allowsText(parseQuestion('"salt cod"'), { title: "salt", content: "cod" })).toBe(false)
})

test("what is highlighted is written as the text writes it, stop words left out", () => {
  expect(matchingWords("the Ropes of café", "A rope, the ROPE and a Cafe; roped")).toEqual(["rope", "ROPE", "Cafe"])
})
