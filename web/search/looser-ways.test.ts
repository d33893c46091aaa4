import { expect, test } from "vitest"
import { looserWays } from "./looser-ways.ts"
import { NOTHING_ASKED, type SearchAddress } from "./search-address.ts"
import { similarWord, wordsOf } from "./similar-word.ts"

const KNOWN = wordsOf(["The ice house of Penhalta", "Standing orders for the keepers of Ponta Ruiva", "Tábua de marés"])

const ways = (address: Partial<SearchAddress>) =>
  looserWays({ ...NOTHING_ASKED, ...address }, KNOWN).map(({ address: { question, ranking, language, kinds } }) => ({
    question,
    ranking,
    filtered: language !== "" || kinds.length > 0,
  }))

test("each way lets one thing go: filters, exclusions, quotes, the words themselves", () => {
  const question = '"ice house" -summer -"north mole"'
  expect(ways({ question, language: "pt", kinds: ["table"], ranking: "words" })).toEqual([
    { question, ranking: "words", filtered: false },
    { question: '"ice house"', ranking: "words", filtered: true },
    { question: "ice house", ranking: "words", filtered: true },
    { question, ranking: "meaning", filtered: true },
  ])
})

test("a hyphen within a word excludes nothing", () => {
  expect(ways({ question: "fair-copy of the log" })).toEqual([])
})

test("a word that the titles spell otherwise is offered as they do", () => {
  expect(ways({ question: "ice in Penhlata" }).map(({ question }) => question)).toEqual(["ice in penhalta"])
})

test.each([
  ["penhlata", "penhalta"],
  ["keeprs", "keepers"],
  ["mares", "marés"],
  ["Keepers", null],
  ["lighthouse", null],
  ["hose", "house"],
])("%s is likeliest %s", (word, expected) => {
  expect(similarWord(word, wordsOf(["Penhalta keepers marés house"]))).toBe(expected)
})
