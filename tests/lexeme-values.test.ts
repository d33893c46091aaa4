import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { MIGRATIONS_FOLDER } from "../lib/database/migrate.ts"
import { deadlineIn } from "../lib/deadline.ts"
import { createIndexDocuments } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import { randomFrom } from "../lib/random.ts"
import { openTestDatabase, type TestDatabase } from "./database.ts"

// Migration 0070 computes the words of a chunk in another way than 0002 did. What is stored is the same to the byte: here
// the functions of 0002 stand beside those of now, in a schema of their own.

let db: TestDatabase
beforeAll(async () => {
  db = await openTestDatabase()
  const migration = await readFile(join(MIGRATIONS_FOLDER, "0002_create_lexemes.sql"), "utf8")
  const start = migration.indexOf("create function concordance.bm25_weights")
  expect(start).toBeGreaterThan(0)
  const old = migration.slice(start).replace("concordance.bm25_weights", "old.bm25_weights")
  await db.owner.session(async (session) => {
    await session.script(
      `create schema old; select set_config('search_path', concordance.function_path(), false); ${old}`,
    )
  })
})
afterAll(() => db.close())

const query = (text: string, values: string[] = []) => db.owner.session((session) => session.query(text, values))

const WORDS = [
  ...["lighthouse", "lantern", "Keepers'", "o'clock", "naïve", "façade", "informação", "correções", "möwe", "straße"],
  ...[
    "a\\b",
    "'quoted'",
    "3.14",
    "first-class",
    "x@y.example",
    "日本語",
    "🌊",
    "the",
    "of",
    "não",
    "ŉ",
    "foo_bar",
    "C++",
  ],
]

/** Texts of up to 400 words, some rare, some in every text, some with nothing in them. */
function* texts(count: number): Generator<string> {
  const random = randomFrom(70)
  const word = () =>
    random() < 0.3 ? (WORDS[Math.floor(random() * WORDS.length)] ?? "") : `w${Math.floor(900 ** random())}`
  for (let i = 0; i < count; i++) yield Array.from({ length: Math.floor(random() ** 2 * 400) }, word).join(" ")
}

test("weights are those of the first release, whatever the text, its title and its language", async () => {
  const given = [...texts(300)].map((content, i) => {
    return { content, title: i % 3 === 0 ? content.slice(0, 60) : "", lexicon: ["en", "pt", "simple"][i % 3] }
  })
  const rows = await query(
    `select count(*)::int as texts, count(*) filter (where now_w::text = old_w::text)::int as same,
            count(distinct now_w::text)::int as different
       from (select concordance.bm25_weights(lexicon, chunk) as now_w, old.bm25_weights(lexicon, chunk) as old_w
               from (select lexicon, concordance.chunk_lexemes(lexicon, title, content) as chunk
                       from jsonb_to_recordset($1::text::jsonb) as given (content text, title text, lexicon text)) t) w`,
    [JSON.stringify(given)],
  )
  expect(rows).toEqual([{ texts: 300, same: 300, different: expect.any(Number) }])
  expect(Number(rows[0]?.["different"])).toBeGreaterThan(280)
})

test("of more lexemes than a sparsevec holds the same ones stay", async () => {
  const rows = await query(
    `select now_w::text = old_w::text as same, array_length(string_to_array(now_w::text, ','), 1) as lexemes
       from (select concordance.bm25_weights('simple', chunk) as now_w, old.bm25_weights('simple', chunk) as old_w
               from (select to_tsvector('simple', string_agg('w' || n || ' x' || n % 700, ' ')) as chunk
                       from generate_series(1, 17000) n) t) w`,
  )
  expect(rows).toEqual([{ same: true, lexemes: 16_000 }])
})

test("a lexeme's dimension is the same by its hash", async () => {
  const rows = await query(
    `select count(*)::int as lexemes,
            count(*) filter (where lexeme_dimension('en', lexeme)
                                 = hash_dimension(sha256(convert_to('en:' || lexeme, 'UTF8'))))::int as same
       from (select 'w' || n || chr(n % 500 + 161) as lexeme from generate_series(1, 5000) n) t`
      .replaceAll("lexeme_dimension(", "concordance.lexeme_dimension(")
      .replaceAll("hash_dimension(", "concordance.hash_dimension("),
  )
  expect(rows).toEqual([{ lexemes: 5_000, same: 5_000 }])
})

test("no write leaves entries for searches to read through, neither an insert nor an update", async () => {
  const index = createIndexDocuments({ database: db.database, embedder: null })
  const write = async (content: string) => {
    const [outcome] = await index("ours", [IndexRequest.parse({ id: "d", content })], deadlineIn(60_000))
    expect(outcome).toMatchObject({ indexed: {} })
  }
  const pending = () => query("select gin_clean_pending_list('concordance.chunks_lexemes')::int as pages")
  await write("the lamp burned all night")
  expect(await pending()).toEqual([{ pages: 0 }])
  await query("update concordance.chunks set content = content || ' and went out'")
  expect(await pending()).toEqual([{ pages: 0 }])
  await write("the lamp was never lit")
  expect(await pending()).toEqual([{ pages: 0 }])
  // They do gather there: without its trigger a write leaves them.
  await query("alter table concordance.chunks disable trigger count_changed")
  await query("update concordance.chunks set content = content || ' by the keeper'")
  expect(await pending()).not.toEqual([{ pages: 0 }])
  await query("alter table concordance.chunks enable trigger count_changed")
})
