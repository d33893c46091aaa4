import { afterAll, beforeAll, expect, test } from "vitest"
import { type CoverWords, createCoverWords } from "../lib/search/word-coverage.ts"
import { type Library, openLibrary } from "./library.ts"

let library: Library
let cover: CoverWords
beforeAll(async () => {
  library = await openLibrary()
  cover = createCoverWords(library.database)
  const boats = ["The boat left.", "The boat came.", "The boat sank.", "A lamp on the boat."]
  await library.index("words", [
    { id: "en", chunks: boats.map((content) => ({ content, language: "en" })) },
    { id: "pt", chunks: [{ content: "As lanternas do barco.", language: "pt" }] },
  ])
})
afterAll(() => library.close())

const en = (text: string) => ({ text, language: "en" })
const shares = async (question: string, language: string | null, texts: Parameters<CoverWords>[3], tenant = "words") =>
  (await cover(tenant, question, language, texts, 10_000)).shares

test("stop words don't count, and what is left is told as it is written", async () => {
  const { words, shares } = await cover(
    "words",
    "Where are the lamps of the boat?",
    "en",
    [en("Lamp, boat"), en("the")],
    10_000,
  )
  expect(words).toEqual(["lamps", "boat?"])
  expect(shares).toEqual([1, 0])
})

test("where the language isn't known, the stop words of both go", async () => {
  const { words } = await cover("words", "Onde estão as lamps of the barco", null, [en("x")], 10_000)
  expect(words).not.toContain("the")
  expect(words).not.toContain("as")
  expect(words).toContain("lamps")
})

test("a rare word weighs more than a common one, and one that nothing has keeps every text short of all", async () => {
  const [lamp = 0, boat = 0] = await shares("lamp boat", "en", [en("lamp"), en("boat")])
  expect(lamp).toBeGreaterThan(0.7)
  expect(lamp + boat).toBeCloseTo(1, 6)
  const [both = 1] = await shares("lamp boat zeppelin", "en", [en("lamp boat")])
  expect(both).toBeGreaterThan(0)
  expect(both).toBeLessThan(0.6)
})

test("each text is read in its own language, inflected and without accents", async () => {
  expect(await shares("lanterna barcos", "pt", [{ text: "A lanterna dos barcos", language: "pt" }])).toEqual([1])
})

test("another tenant's counts say nothing, and hostile questions are words like others", async () => {
  const [lamp = 0, boat = 0] = await shares("lamp boat", "en", [en("lamp"), en("boat")], "nobody")
  expect(lamp).toBeCloseTo(boat, 6)
  expect(await shares("'; drop table chunks; --", "en", [en("drop")])).toHaveLength(1)
  expect(await shares("the of", "en", [en("the of"), en("")])).toEqual([0, 0])
  expect(await shares("lamp", "en", [])).toEqual([])
})
