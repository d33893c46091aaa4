import { afterAll, beforeAll, expect, test } from "vitest"
import { openTestDatabase, type TestDatabase } from "../../tests/database.ts"
import { randomFrom } from "../random.ts"
import { queryText } from "./query-text.ts"

let db: TestDatabase

beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())

/** The words that SQL scores by, for each of the queries. */
async function parsed(queries: readonly string[]) {
  const text =
    "select words, phrases, excluded from unnest($1::text[]) with ordinality q (query, i), parse_query(query) order by i"
  const [rows = []] = await db.database.batch({ tenant: "t" }, [{ text, values: [queries] }])
  return rows as { words: string; phrases: string[]; excluded: string[] }[]
}

test.each([
  ["wind power", "wind power"],
  ['"wind power" -nuclear', "wind power"],
  ['-"a phrase" wind', "wind"],
  ["wind -a -b -c mill", "wind mill"],
  ["wind-power", "wind-power"],
  ["-only -exclusions", ""],
  ["", ""],
])("what a model reads of %j is %j", (query, text) => {
  expect(queryText(query).split(/\s+/).join(" ")).toBe(text)
})

test("a phrase keeps its words, an exclusion loses them, for the words and for the phrases alike", async () => {
  expect(await parsed(['old "wind mill" -new -"steam engine" -"open'])).toEqual([
    {
      words: expect.stringMatching(/^old\s+wind mill\s+-\s*open$/),
      phrases: ["wind mill"],
      excluded: ["new", " steam engine "],
    },
  ])
})

const ALPHABET = [
  '"',
  "-",
  " ",
  "a",
  "b",
  "é",
  "😀",
  "\t",
  "\n",
  "\r",
  "\v",
  "\f",
  "\u00a0",
  "\u2003",
  "\u3000",
  "\ufeff",
  "\u0085",
  "\u2028",
  "\u001f",
  "(",
  "&",
  "|",
  "!",
  "'",
  "\\",
  "*",
  ":",
]

test("the model and the words are given the same words, whatever was typed", async () => {
  const random = randomFrom(3)
  const queries = Array.from({ length: 3_000 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 14) }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join(
      "",
    ),
  )
  const words = (text: string) => text.match(/[^\s"]+/g) ?? []
  const read = await parsed(queries)
  for (const [i, query] of queries.entries()) {
    expect([query, words(queryText(query))]).toEqual([query, words(read[i]?.words ?? "")])
  }
})
