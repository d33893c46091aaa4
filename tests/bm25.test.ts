import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { randomFrom } from "../lib/random.ts"
import { type IndexInput, type Library, openLibrary } from "./library.ts"

// Scores are BM25 to the last digit that a float4 holds, and the candidates that are scored leave out nothing that counts.

let library: Library

beforeAll(async () => {
  library = await openLibrary()
})
afterAll(() => library.close())

/** The constants of migration 0002, by which this file computes BM25 again: independent of the SQL, from the texts. */
const K1 = 1.2
const B = 0.75
const AVERAGE_LENGTH = 110

interface Text {
  readonly id: string
  readonly title: string
  readonly content: string
}

/** Words of the `simple` lexicon are their own lexemes, so that only the formula is under test. */
const lexemes = (text: string) => text.split(" ").filter(Boolean)

/** BM25 of every text for the question, best first, by exhaustive counting. */
function createScorer(texts: readonly Text[]) {
  const frequencies = new Map<string, number>()
  const counted = texts.map(({ id, title, content }) => {
    const counts = new Map<string, number>()
    for (const word of [...lexemes(title), ...lexemes(title), ...lexemes(content)])
      counts.set(word, (counts.get(word) ?? 0) + 1)
    for (const word of counts.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
    return { id, counts, length: [...counts.values()].reduce((sum, n) => sum + n, 0) }
  })
  const idf = (word: string) => {
    const n = frequencies.get(word) ?? 0
    return Math.log(1 + (texts.length - n + 0.5) / (n + 0.5))
  }
  return (question: string) =>
    counted
      .map(({ id, counts, length }) => {
        let score = 0
        for (const word of lexemes(question)) {
          const tf = counts.get(word) ?? 0
          if (tf > 0) score += (idf(word) * tf * (K1 + 1)) / (tf + K1 * (1 - B + (B * length) / AVERAGE_LENGTH))
        }
        return { id, score }
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)))
}

const toRequest = ({ id, title, content }: Text): IndexInput => ({ id, title, content, language: "fr" })
const byWords = { strategy: "lexical" as const, group_by: "chunk" as const }

async function scores(tenant: string, query: string, topK = 10) {
  const { results } = await library.search(tenant, { query, ...byWords, top_k: topK })
  return results.map((hit) => ({ id: hit.id, score: hit.text_rank ?? 0 }))
}

/** Texts of 3 to 60 words whose frequencies fall off as those of a language do, some under a title. */
function zipfTexts(count: number, vocabulary: number, seed: number): Text[] {
  const random = randomFrom(seed)
  // No word of these is a stop word of any language.
  const word = () => `zq${Math.floor(vocabulary ** random()).toString(36)}`
  const text = (length: number) => Array.from({ length }, word).join(" ")
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    title: i % 3 === 0 ? text(1 + Math.floor(random() * 4)) : "",
    content: text(3 + Math.floor(random() * 57)),
  }))
}

describe("scores", () => {
  const texts = zipfTexts(300, 800, 1)
  const score = createScorer(texts)

  beforeAll(() => library.index("scores", texts.map(toRequest), { embedder: null }))

  test("are BM25 with k1 1.2, b 0.75, an average length of 110, and the title's words twice", async () => {
    const random = randomFrom(2)
    for (let i = 0; i < 40; i++) {
      const query = Array.from({ length: 1 + (i % 5) }, () => `zq${Math.floor(800 ** random()).toString(36)}`).join(" ")
      const expected = score(query).slice(0, 100)
      const found = await scores("scores", query, 100)
      expect(found).toHaveLength(expected.length)
      const scored = new Map(expected.map((hit) => [hit.id, hit.score]))
      for (const [place, hit] of found.entries()) {
        // A float4 holds seven digits: texts nearer than that may change places.
        expect(hit.score).toBeCloseTo(expected[place]?.score ?? 0, 4)
        if (scored.has(hit.id)) expect(hit.score).toBeCloseTo(scored.get(hit.id) ?? 0, 4)
      }
    }
  })

  test("a word that the question repeats counts as often as it stands there", async () => {
    for (const query of ["zq1 zq1 zq1 zqa", "zqa zqa zq1"]) {
      const found = await scores("scores", query)
      expect(found.map((hit) => hit.score)).toEqual(
        score(query)
          .slice(0, 10)
          .map((hit) => expect.closeTo(hit.score, 4)),
      )
    }
  })

  test("are the same when texts come one by one in random order, change and go, as when they come at once", async () => {
    const random = randomFrom(3)
    const shuffled = texts.map((text) => ({ text, at: random() })).sort((a, b) => a.at - b.at)
    for (const [i, { text }] of shuffled.entries()) {
      // Some stand there with another text first, some go and come back.
      if (i % 4 === 0)
        await library.index("grown", [toRequest({ ...text, title: "zq1 other", content: "zq2 words zqa" })], {
          embedder: null,
        })
      await library.index("grown", [toRequest(text)], { embedder: null })
      if (i % 9 === 0) await library.documents.delete("grown", text.id)
    }
    const gone = shuffled.filter((_, i) => i % 9 === 0).map(({ text }) => toRequest(text))
    await library.index("grown", gone, { embedder: null })
    for (const query of ["zq1", "zqa zq2", "zq1 zq3 zqz zqa", "zq5 zq6 zq7 zq8 zq9"]) {
      expect(await scores("grown", query, 100)).toEqual(await scores("scores", query, 100))
    }
  })

  test("of one language don't move when chunks of another come", async () => {
    await library.index("lone", texts.map(toRequest), { embedder: null })
    const before = await scores("lone", "zq1 zqa zq3 zqz", 100)
    const others = texts.slice(0, 60).map((text) => ({ ...toRequest(text), id: `pt${text.id}`, language: "pt" }))
    await library.index("lone", others, { embedder: null })
    const { results } = await library.search("lone", {
      query: "zq1 zqa zq3 zqz",
      ...byWords,
      top_k: 200,
      filter: { language: "fr" },
    })
    expect(results.slice(0, 100).map((hit) => ({ id: hit.id, score: hit.text_rank }))).toEqual(before)
  })
})

describe("in a collection where frequent words exceed the budget of candidates", () => {
  /** Over two of the budget of 4,000 that never meet, and a tail. */
  const CHUNKS = 9_000

  /** Written as rows: what is under test is how they are found, and 9,000 requests take a minute. */
  async function insert(tenant: string, texts: readonly Text[]): Promise<void> {
    await library.database.transaction({ tenant }, async (transaction) => {
      const rows = JSON.stringify(texts)
      await transaction.query(
        "insert into documents (source_account_id, id, title) select $1, id, title from jsonb_to_recordset($2::text::jsonb) t (id text, title text)",
        [tenant, rows],
      )
      await transaction.query(
        `insert into chunks (source_account_id, document_id, id, ordinal, title, content, language, content_hash)
         select $1, id, 'c0001', 1, title, content, 'fr', id
           from jsonb_to_recordset($2::text::jsonb) t (id text, title text, content text)`,
        [tenant, rows],
      )
    })
  }

  test("words that are all too frequent and never meet still find", async () => {
    const texts = Array.from({ length: CHUNKS }, (_, i) => ({
      id: `d${i}`,
      title: "",
      content: `${i % 2 === 0 ? "even" : "odd"} ${i % 2 === 0 ? `e${i % 7}` : `o${i % 5}`}${i < 20 ? " never" : ""}`,
    }))
    await insert("apart", texts)
    const found = await scores("apart", "even odd", 100)
    expect(found).toHaveLength(100)
    const score = createScorer(texts)
    expect(found.map((hit) => hit.score)).toEqual(
      score("even odd")
        .slice(0, 100)
        .map((hit) => expect.closeTo(hit.score, 4)),
    )
    // A rare word beside a frequent one fills up with the frequent one's.
    expect((await scores("apart", "never odd", 100)).map((hit) => hit.score)).toEqual(
      score("never odd")
        .slice(0, 100)
        .map((hit) => expect.closeTo(hit.score, 4)),
    )
    expect(await scores("apart", "even", 100)).toHaveLength(100)
  })

  test("where two frequent words meet comes first, though the rarest of the question's words isn't there", async () => {
    const words = ["zero", "one", "two"]
    const texts = Array.from({ length: 11_000 }, (_, i) => ({
      id: `d${i}`,
      title: "",
      content: i < 12 ? `one two ${i}` : `${words[i % 3]} ${i % 11}`,
    }))
    await insert("meeting", texts)
    const found = await scores("meeting", "zero one two", 12)
    expect(found.map((hit) => hit.id).sort()).toEqual(
      texts
        .slice(0, 12)
        .map((text) => text.id)
        .sort(),
    )
  })

  test("the top 10 is at least 98 % of the exhaustive one", async () => {
    const random = randomFrom(5)
    const texts = zipfTexts(CHUNKS, 3_000, 6)
    await insert("frequent", texts)
    const score = createScorer(texts)
    let expected = 0
    let found = 0
    let tooFrequent = 0
    for (let i = 0; i < 60; i++) {
      const words = Array.from({ length: 2 + (i % 6) }, () => `zq${Math.floor(3_000 ** random()).toString(36)}`)
      const exhaustive = score(words.join(" "))
      if (exhaustive.length > 4_000) tooFrequent++
      const best = exhaustive.slice(0, 10)
      const tenth = best.at(-1)?.score ?? 0
      expected += best.length
      // One that ties with the tenth is as good as it.
      found += (await scores("frequent", words.join(" "))).filter((hit) => hit.score > tenth - 1e-4).length
    }
    expect(tooFrequent).toBeGreaterThan(30)
    expect(found / expected).toBeGreaterThanOrEqual(0.98)
    expect(found).toBeLessThanOrEqual(expected)
  })
})
