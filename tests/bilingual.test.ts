import { afterAll, beforeAll, expect, test } from "vitest"
import type { Row } from "../lib/database/database.ts"
import { type Library, openLibrary } from "./library.ts"

// A chunk in two languages is found by the words of either, and scores in each as a chunk of that language alone.

let library: Library
beforeAll(async () => {
  library = await openLibrary()
})
afterAll(() => library.close())

const EN = "The pilot boat left the harbour before dawn and was never seen again."
const PT = "A lancha dos pilotos saiu do porto antes do amanhecer e nunca mais foi vista."
const WORDS = { strategy: "lexical", group_by: "chunk" } as const

async function rows(tenant: string, text: string): Promise<Row[]> {
  const [found = []] = await library.database.batch({ tenant }, [{ text }])
  return found
}

test.each([
  ["en", EN, "pt", PT],
  ["pt", PT, "en", EN],
])(
  "a chunk in %s with its translation is found by either language's words, inflected and without accents",
  async (language, content, other, translated) => {
    const tenant = `found-${language}`
    const filler = { id: "filler", chunks: [{ content: "Rope, tar and canvas.", language: "en" }] }
    const chunks = [{ content, language, translation: { language: other, content: translated } }]
    await library.index(tenant, [{ id: "boat", chunks }, filler])
    for (const query of ["pilots of the harbours", "o piloto e a lancha", "amanheceres", "never seen"]) {
      expect([query, await library.find(tenant, { ...WORDS, query })]).toEqual([query, ["boat"]])
    }
    expect(await library.find(tenant, { ...WORDS, query: '"nunca mais"' })).toEqual(["boat"])
    expect(await library.find(tenant, { ...WORDS, query: '"before dawn"' })).toEqual(["boat"])
    expect(await library.find(tenant, { ...WORDS, query: "harbour -lancha" })).toEqual([])
  },
)

// A word that both languages share (a name, `pilot`) does count in each.
test("in each language it scores as a chunk of that language alone would", async () => {
  const both = { content: EN, language: "en", translation: { language: "pt", content: PT } }
  const others = [
    { content: "A harbour and its keeper.", language: "en" },
    { content: "Um porto e o seu guarda.", language: "pt" },
  ]
  await library.index("both", [{ id: "d", chunks: [both, ...others] }])
  const alone = [{ content: EN, language: "en" }, { content: PT, language: "pt" }, ...others]
  await library.index("alone", [{ id: "d", chunks: alone }])
  for (const [query, nth] of [
    ["harbour boat dawn", 0],
    ["porto lancha amanhecer", 1],
  ] as const) {
    const scores = async (tenant: string) => {
      const { results } = await library.search(tenant, { ...WORDS, query, top_k: 10 })
      return new Map(results.map(({ chunk_id, text_rank }) => [chunk_id, text_rank]))
    }
    const expected = (await scores("alone")).get(alone[nth] ? `c000${nth + 1}` : "")
    expect(expected).toBeGreaterThan(0)
    expect((await scores("both")).get("c0001")).toBeCloseTo(expected ?? 0, 5)
  }
})

test("a hit shows its chunk in both languages", async () => {
  const translation = { language: "pt", content: PT }
  await library.index("hits", [
    {
      id: "d",
      chunks: [
        { content: EN, language: "en", translation },
        { content: "Rope.", language: "en" },
      ],
    },
  ])
  const { results } = await library.search("hits", { query: "lancha", group_by: "chunk" })
  expect(results.find(({ chunk_id }) => chunk_id === "c0001")).toMatchObject({
    content: EN,
    language: "en",
    translation,
  })
  expect(results.find(({ chunk_id }) => chunk_id === "c0002")).not.toHaveProperty("translation")
})

test("counts say in how many chunks of each language a word stands, and once where both languages share a lexicon", async () => {
  const chunks = [
    { content: "nacht 1931", language: "de", translation: { language: "fr", content: "nuit 1931" } },
    { content: "night 1931", language: "en", translation: { language: "pt", content: "noite 1931" } },
  ]
  await library.index("counts", [{ id: "d", chunks }])
  const counted = await rows(
    "counts",
    `select lexicon, lexeme, sum(chunks)::int as chunks from lexeme_count_deltas where lexeme in ('', '1931', 'nacht', 'nuit', 'noit')
      group by 1, 2 order by 1, 2`,
  )
  expect(counted.map(({ lexicon, lexeme, chunks }) => [lexicon, lexeme, chunks])).toEqual([
    ["en", "", 1],
    ["en", "1931", 1],
    ["pt", "", 1],
    ["pt", "1931", 1],
    ["pt", "noit", 1],
    ["simple", "", 1],
    ["simple", "1931", 1],
    ["simple", "nacht", 1],
    ["simple", "nuit", 1],
  ])
})

test("a translation that is taken away, or changed, no longer finds the chunk", async () => {
  const document = (translation?: string) => ({
    id: "d",
    chunks: [
      { content: EN, language: "en", ...(translation && { translation: { language: "pt", content: translation } }) },
    ],
  })
  await library.index("changed", [document(PT)])
  expect(await library.find("changed", { ...WORDS, query: "lancha" })).toEqual(["d"])
  await library.index("changed", [document("Uma frase diferente.")])
  expect(await library.find("changed", { ...WORDS, query: "lancha" })).toEqual([])
  expect(await library.find("changed", { ...WORDS, query: "diferentes" })).toEqual(["d"])
  await library.index("changed", [document()])
  expect(await library.find("changed", { ...WORDS, query: "diferentes" })).toEqual([])
  const { results } = await library.search("changed", { ...WORDS, query: "dawn" })
  expect(results.map(({ chunk_id }) => chunk_id)).toEqual(["c0001"])
})

test("the longest text in two languages fits: the heaviest 16,000 lexemes are weighed", async () => {
  const words = (prefix: string) =>
    Array.from({ length: 4_000 }, (_, i) => `${prefix}-${i}x`)
      .join(" ")
      .slice(0, 32_000)
  const chunk = { content: words("a"), language: "en", translation: { language: "pt", content: words("b") } }
  await library.index("long", [{ id: "d", chunks: [chunk] }])
  expect(await library.find("long", { ...WORDS, query: "b-77x" })).toEqual(["d"])
})

test("a model that reads English alone gets the English text, whichever is the original; others get the original", async () => {
  const read: string[] = []
  const embedder = (languages?: readonly string[]) => ({
    model: "test/reads",
    dimensions: 3,
    maxTokens: 256,
    ...(languages && { languages }),
    countTokens: (text: string) => text.length,
    embed: async (texts: readonly string[]) => {
      read.push(...texts)
      return { vectors: texts.map(() => new Float32Array([1, 0, 0])), truncated: [], tokens: 0 }
    },
  })
  const original = { content: PT, language: "pt-PT", translation: { language: "en-GB", content: EN } }
  const documents = [{ id: "d", chunks: [original] }]
  for (const [languages, expected] of [
    [["en"], EN],
    [["de"], PT],
    [undefined, PT],
  ] as const) {
    await library.index("reads", documents, { embedder: embedder(languages) })
    expect(read.pop()).toBe(expected)
  }
})
