import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Library, openLibrary } from "./library.ts"

// A word of a question that no passage of the tenant has is also looked for as the tenant's words that are one slip away.

let library: Library

beforeAll(async () => {
  library = await openLibrary()
  await library.index("plants", [
    { id: "light", content: "Photosynthesis feeds plants by light.", language: "en" },
    { id: "food", content: "Nutrition of plants: nutritional value of leaves.", language: "en" },
    { id: "fog", content: "Fog over the harbour; the fire went out.", language: "en" },
    { id: "rare", content: "A leaver left the lever.", language: "en" },
    { id: "fogo", content: "O fogo e a informação da correção.", language: "pt" },
    { id: "vent", content: "Le vent souffle sur la montagne.", language: "fr" },
  ])
})
afterAll(() => library.close())

const lexical = (query: string, more: object = {}) => ({ query, strategy: "lexical" as const, ...more })
const warningsOf = async (query: string, more: object = {}) =>
  (await library.search("plants", lexical(query, more))).warnings ?? []

describe("a misspelt word", () => {
  test.each([
    ["photosynthseis", "two neighbours swapped"],
    ["photosinthesis", "a letter replaced"],
    ["photosyntthesis", "a letter too many"],
    ["photosynthsis", "a letter missing"],
    ["hpotosynthesis", "at its beginning"],
    ["PHOTOSINTHESIS", "in capitals"],
    ["photosinthésis", "with an accent"],
  ])("finds: %s, %s", async (word) => {
    const { results, warnings } = await library.search("plants", lexical(word))
    expect(results.map(({ id }) => id)).toEqual(["light"])
    expect(warnings).toEqual([`query: no passage has "${word.toLowerCase()}"; photosynthesis was looked for too`])
  })

  test("is stemmed as what it was meant to be: its own ending says nothing", async () => {
    expect(await library.find("plants", lexical("nutritoin"))).toEqual(["food"])
  })

  test("of Portuguese and of a language without a stemmer finds too", async () => {
    expect(await library.find("plants", lexical("infromação", { language: "pt" }))).toEqual(["fogo"])
    expect(await library.find("plants", lexical("montange", { language: "fr" }))).toEqual(["vent"])
    expect(await library.find("plants", lexical("montange"))).toEqual(["vent"])
  })

  test("counts less than the word itself, and is marked in the hit", async () => {
    const score = async (query: string) => (await library.search("plants", lexical(query))).results[0]?.text_rank ?? 0
    expect(await score("photosinthesis")).toBeCloseTo(0.8 * (await score("photosynthesis")), 4)
    const { results } = await library.search("plants", lexical("photosinthesis", { highlight: true }))
    expect(results[0]?.highlights).toEqual([{ start: 0, end: 14 }])
  })

  test("leaves the known words beside it alone", async () => {
    expect(await warningsOf("lever photosinthesis")).toEqual([expect.stringContaining("photosinthesis")])
  })

  test("is looked for as three words at most, the likeliest most", async () => {
    const words = ["carter", "career", "garner", "carver"]
    const texts = words.flatMap((word, index) =>
      Array.from({ length: 4 - index }, (_, i) => ({ word, id: `${word}${i}` })),
    )
    await library.index(
      "many",
      texts.map(({ word, id }) => ({ id, content: `${word} here`, language: "fr" })),
    )
    // Of another language, and as near: three are looked for in all, not in each.
    await library.index("many", [{ id: "corner", content: "corner here", language: "en" }])
    const { results, warnings } = await library.search("many", lexical("carner"))
    expect(warnings).toEqual(['query: no passage has "carner"; career, carter, garner was looked for too'])
    expect(results.map(({ id }) => id.slice(0, 6))).not.toContain("carver")
    expect(results[0]?.id).toMatch(/^carter/)
  })
})

describe("nothing is corrected", () => {
  test.each([
    ["fog", "a word that is there"],
    ["figo", "a word of fewer than five letters"],
    ["fogos", "a form of a word that is there, by its stem"],
    ["lever", "a word that is there, though others are near"],
    ['"photosinthesis"', "a word of a phrase"],
    ["plants -photosinthesis", "an excluded word"],
    ["photosinthesi5", "a word with a digit"],
    ["phtosinthesis", "a word with two slips"],
    ["zzzzzzzzzzzz", "a word that nothing is near"],
  ])("%s: %s", async (query) => {
    expect(await warningsOf(query)).toEqual([])
  })

  test("where only the meaning ranks", async () => {
    const { warnings } = await library.search("plants", { query: "photosinthesis", strategy: "semantic" })
    expect(warnings).toBeUndefined()
  })

  test("beyond three words of a question", async () => {
    const words = ["photosinthesis", "nutritoin", "harbuor", "montange"]
    const warnings = await warningsOf(words.join(" "))
    expect(warnings.map((warning) => /"(.*?)"/.exec(warning)?.[1])).toEqual(words.slice(0, 3))
  })

  test("by words of another tenant", async () => {
    await library.index("others", [{ id: "o", content: "Windmills grind corn.", language: "en" }])
    expect(await library.find("others", lexical("photosinthesis"))).toEqual([])
    expect((await library.search("others", lexical("photosinthesis corn"))).warnings).toBeUndefined()
  })

  test("by words that are gone", async () => {
    await library.index("gone", [{ id: "a", content: "Photosynthesis.", language: "en" }])
    await library.index("gone", [{ id: "b", content: "Windmills.", language: "en" }])
    expect(await library.find("gone", lexical("photosinthesis"))).toEqual(["a"])
    await library.documents.delete("gone", "a")
    expect(await library.find("gone", lexical("photosinthesis"))).toEqual([])
  })
})

test.each([
  ["photosynthesis of plants in the harbour", "of which every word is known"],
  ['plants "photosinthesis by light"', "with a phrase, which nothing but itself can match"],
])("nothing is tried for a question: %s, %s", async (query) => {
  const [looked] = await library.database.batch({ tenant: "plants" }, [
    { text: "select terms -> 'corrections' as corrections from lexical_query($1)", values: [query] },
  ])
  expect(looked).toEqual([{ corrections: null }])
})
