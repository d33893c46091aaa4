import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type IndexInput, type Library, openLibrary } from "./library.ts"

// Input that is good but hard: each goes in, is found, is read back as it was, and goes again.

let library: Library

beforeAll(async () => {
  library = await openLibrary()
})
afterAll(() => library.close())

/** Characters outside ASCII that no two lexemes of these share. */
const ideograph = (i: number) => String.fromCodePoint(0x4e00 + i)

const IDS: [string, string][] = [
  ["slashes", "a/b//c/../d"],
  ["quotes", `it's "quoted" \`so\``],
  ["emoji", "📄👩‍👩‍👧‍👦"],
  ["a new line and tabs", "line\nbreak\ttab\r\n"],
  ["white space alone", " "],
  ["1 kB of ASCII", "x".repeat(1_024)],
  ["1 kB of emoji", "😀".repeat(256)],
  ["control characters", "\u0001\u007f\u009f"],
  ["what a citation is made of", "[[a/p001#c0001]]"],
  ["percent escapes", "%2F%00%"],
  ["SQL", "'; drop table chunks; --"],
  ["a backslash", "\\"],
  ["JSON", '{"id": null}'],
  ["a right-to-left mark", "\u202eabc\u200f"],
  ["the same letter composed and not", "e\u0301 é"],
]

test.each(IDS)("an id of %s", async (_, id) => {
  const document: IndexInput = { id, title: id, content: "the wind turns the mill", language: "en", metadata: { id } }
  await library.index("ids", [document])
  const { results } = await library.search("ids", { query: "wind mill", filter: { document_id: id, id } })
  expect(results).toMatchObject([{ id, title: id, metadata: { id } }])
  expect(await library.documents.get("ids", id)).toMatchObject({ id, title: id, metadata: { id } })
  expect(await library.documents.delete("ids", id)).toBe(true)
  expect(await library.documents.delete("ids", id)).toBe(false)
})

const long = (length: number, unit: string) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const distinct = (count: number) => Array.from({ length: count }, (_, i) => `w${i.toString(36)}`).join(" ")
/** Each pair of ideographs makes three lexemes: the compound and both of its parts. */
const compounds = Array.from({ length: 8_000 }, (_, i) => `${ideograph(2 * i)}-${ideograph(2 * i + 1)}`).join(" ")

const CONTENTS: [name: string, content: string, query: string][] = [
  ["over 16,000 distinct words", distinct(20_000), "wfeb"],
  ["2 MB of sentences", `${long(2_000_000, "The wind turns the mill on the ridge. ")} needle`, "needle"],
  ["2 MB of one letter lines", `${long(2_000_000, "a\n")} needle`, "needle"],
  ["100 kB without a space", `needle ${"x".repeat(100_000)}`, "needle"],
  ["100 kB of one ideograph", `needle ${"風".repeat(33_000)}`, "needle"],
  ["mixed languages", "The lighthouse. O farol. Der Leuchtturm. Le phare. マヤク. маяк. φάρος. منارة. 灯台", "маяк"],
  ["right-to-left text", "المنارة تضيء الطريق للسفن", "المنارة"],
  ["ligatures and letters that come apart", "ŉ ﬁnance ﬂow oﬃce Ĳssel ǆ ſt ﷺ K Å 𝔴𝔦𝔫𝔡", "finance"],
  ["zero-width characters", "needle ze\u200bro\u200d wi\u2060dth \ufeff end", "needle"],
  ["combining characters", "needle e\u0301\u0302\u0303 a\u0300".normalize("NFD"), "needle"],
  ["control characters", "needle \u0001\u0002\u0008\u000b\u001f\u007f\u0085 end", "needle"],
  ["punctuation that a tsvector has for itself", `needle 'a' ''b \\c :1A <-> & | ! ( ) "d"`, "needle"],
  [
    "tags, addresses and numbers",
    "needle <b>x</b> &amp; http://x.y/z?a=1&b=2 a@b.c -1.5e-10 /usr/bin 10.0.0.1",
    "needle",
  ],
]

describe.each(["en", "pt", "fr"])("content in %s", (language) => {
  test.each(CONTENTS)("%s", async (_, content, query) => {
    const tenant = `content-${language}`
    await library.index(tenant, [{ id: "hard", content, language }])
    expect(await library.find(tenant, { query, strategy: "lexical" })).toEqual(["hard"])
    const { results } = await library.search(tenant, {
      query,
      expand_parents: true,
      group_by: "chunk",
      top_k: 5,
      highlight: true,
    })
    expect(results.length).toBeGreaterThan(0)
    for (const hit of results)
      for (const { start, end } of hit.highlights ?? []) expect(hit.content.slice(start, end)).not.toBe("")
    const { chunks } = await library.documents.get(tenant, "hard")
    expect(chunks).toBeGreaterThan(0)
    // Nothing but white space is lost.
    const text = "select string_agg(content, ' ' order by ordinal) as content from chunks"
    const [rows = []] = await library.database.batch({ tenant }, [{ text }])
    const bare = (whole: string) => whole.replace(/\s+/g, "")
    expect(bare(String(rows[0]?.["content"])) === bare(content)).toBe(true)
    expect(await library.documents.delete(tenant, "hard")).toBe(true)
    expect(await library.find(tenant, query)).toEqual([])
  })
})

describe("text without a word", () => {
  test.each([
    ["emoji", "😀🎉👍"],
    ["stop words", "the of and to"],
    ["punctuation", "!!! --- ???"],
    ["zero-width characters", "\u200b\u200d"],
  ])("%s is stored and read back, and found by meaning", async (_, content) => {
    await library.index("wordless", [{ id: "w", content, language: "en" }])
    const { results } = await library.search("wordless", { query: "anything" })
    expect(results).toMatchObject([{ id: "w", content }])
    expect(await library.documents.delete("wordless", "w")).toBe(true)
  })
})

test.each([
  [
    "compounds of three lexemes each, in 32,000 characters",
    { content: compounds, query: `${ideograph(6)}-${ideograph(7)}` },
  ],
  ["one word of 32,000 characters", { content: `needle ${"x".repeat(31_990)}`, query: "needle" }],
  [
    "32,000 characters of addresses",
    { content: Array.from({ length: 2_900 }, (_, i) => `${i.toString(36)}.de/${i}`).join(" "), query: "12.de" },
  ],
])("a caller's chunk of %s", async (_, { content, query }) => {
  for (const language of ["en", "pt", "fr"]) {
    const title = "Title ".repeat(300)
    await library.index("given", [
      { id: "d", title, language, chunks: [{ content: content.slice(0, 32_000), embedding: [1, 0] }] },
    ])
    expect(await library.find("given", { query, strategy: "lexical" })).toEqual(["d"])
    expect(await library.documents.delete("given", "d")).toBe(true)
  }
})

describe("queries", () => {
  const DOCUMENTS = Array.from({ length: 30 }, (_, i) => ({
    id: `d${i}`,
    content: `everywhere word${i}`,
    language: "en",
  }))

  beforeAll(() => library.index("queries", DOCUMENTS))

  test("one word that stands in every chunk finds them all", async () => {
    const found = await library.search("queries", { query: "everywhere", strategy: "lexical", top_k: 50 })
    expect(found.count).toBe(30)
    for (const hit of found.results) expect(hit.text_rank).toBeGreaterThan(0)
  })

  test("only stop words: meaning alone ranks, and words alone find nothing", async () => {
    expect((await library.search("queries", { query: "what is the" })).count).toBe(10)
    expect((await library.search("queries", { query: "what is the", strategy: "lexical" })).count).toBe(0)
  })

  test.each(["word1 & !word2 | (word3", "word1:* <-> 'word2'", "'word1' AND NOT \"", "\\word1\\ word2"])(
    "operators are punctuation: %s",
    async (query) => {
      expect(await library.find("queries", { query, strategy: "lexical" })).toContain("d1")
    },
  )

  test("a word that is repeated counts as often as it stands there", async () => {
    const [once] = (await library.search("queries", { query: "word1 everywhere", strategy: "lexical" })).results
    const [twice] = (
      await library.search("queries", { query: "word1 word1 everywhere everywhere", strategy: "lexical" })
    ).results
    expect(twice?.text_rank).toBeCloseTo(2 * (once?.text_rank ?? 0), 5)
  })

  test.each([
    ["8,000 characters of words", distinct(3_000).slice(0, 8_000)],
    ["8,000 characters of one word", "x".repeat(8_000)],
    ["8,000 characters of exclusions", `word1 ${"-a ".repeat(2_600)}`],
    ["8,000 characters of phrases", `word1 ${'"everywhere word1" '.repeat(400)}`],
    ["8,000 characters of quotes", `word1 ${'"'.repeat(7_990)}`],
    ["8,000 characters of compounds", compounds.slice(0, 8_000)],
    ["8,000 characters of emoji", "😀".repeat(4_000)],
  ])("%s", async (_, query) => {
    const found = await library.search("queries", { query })
    expect(found.count).toBeGreaterThan(0)
  })

  test("words of many chunks at once: 8,000 characters that all stand somewhere, in three languages", async () => {
    const query = compounds.slice(0, 8_000)
    for (const language of ["en", "pt", "fr"]) {
      await library.index("wide", [
        { id: language, language, chunks: [{ content: compounds.slice(0, 9_000), embedding: [1, 0] }] },
      ])
    }
    expect((await library.find("wide", { query, strategy: "lexical" })).sort()).toEqual(["en", "fr", "pt"])
  })
})

test.each<[string, Record<string, unknown>]>([
  ["text that looks like an escape", { pattern: "\\u0000 \\ud83d", "\\u0000": 1 }],
  ["nested lists and objects", { a: { b: [1, { c: [null, true, "x"] }] } }],
  ["keys of every kind", { "": 1, "a.b": 2, $: 3, "é😀": 4, __proto__x: 5 }],
  ["numbers at their limits", { big: 1.797_693_134_862_315_7e308, small: 5e-324, whole: 9_007_199_254_740_991 }],
])("metadata with %s is read back as it was", async (_, metadata) => {
  await library.index("metadata", [{ id: "m", content: "wind", language: "en", metadata: metadata as never }])
  const { results } = await library.search("metadata", { query: "wind" })
  expect(results[0]?.metadata).toEqual(metadata)
})
