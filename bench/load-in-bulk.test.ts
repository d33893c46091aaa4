import { afterAll, beforeAll, expect, test } from "vitest"
import { createIndexDocuments } from "../lib/documents/index-documents.ts"
import type { Embedder } from "../lib/inference/inference.ts"
import { openTestDatabase, type TestDatabase } from "../tests/database.ts"
import { loadInBulk } from "./load-in-bulk.ts"
import { createPassageLoader } from "./load-passages.ts"

const CORPUS = ["keeper", "harbour", "signal", "lantern"].map((word, index) => ({
  _id: `${index}`,
  title: "",
  text: [1, 2, 3, 4].map((i) => `The ${word} of day ${i} was noted down in the book of the ${word}.`).join(" "),
}))
const VECTORS = CORPUS.map((_, index) => Float32Array.from({ length: 4 }, (_, i) => (i === index ? 1 : 0)))
const MODEL: Embedder = {
  model: "toy",
  dimensions: 4,
  maxTokens: 512,
  countTokens: (text) => text.length / 4,
  embed: () => Promise.reject(new Error("nothing is embedded by the model")),
}
const COUNT = 60

let db: TestDatabase
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db?.close())

const rows = (text: string) => db.owner.session((session) => session.query(text))

test("a load in bulk leaves the rows, counts and index of one that goes the usual way", async () => {
  const load = createPassageLoader(
    (embedder) => createIndexDocuments({ database: db.database, embedder }),
    MODEL,
    CORPUS,
    VECTORS,
  )
  const loaded: number[] = []
  await load({ tenant: "usual", count: COUNT, seed: 1 }, (count) => loaded.push(count))
  expect(loaded.at(-1)).toBe(COUNT)
  const definition = await rows("select indexdef from pg_indexes where indexname = 'chunks_lexemes'")
  await loadInBulk(db.owner, "bulk", () => load({ tenant: "bulk", count: COUNT, seed: 1 }, () => {}))

  expect(await rows("select indexdef from pg_indexes where indexname = 'chunks_lexemes'")).toEqual(definition)
  const of = (tenant: string) =>
    Promise.all([
      rows(`select document_id, id, content, metadata, content_hash, lexemes::text, bm25::text from concordance.chunks
             where source_account_id = '${tenant}' order by 1, 2`),
      rows(`select c.document_id, c.id, e.embedding::text from concordance.embeddings e
              join concordance.chunks c on c.source_account_id = e.source_account_id and c.key = e.chunk_key
             where e.source_account_id = '${tenant}' order by 1, 2`),
      rows(`select lexicon, lexeme, sum(chunks)::int as chunks
              from (select * from concordance.lexeme_counts union all select * from concordance.lexeme_count_deltas) c
             where source_account_id = '${tenant}' group by 1, 2 order by 1, 2`),
    ])
  expect(await of("bulk")).toEqual(await of("usual"))
  await load({ tenant: "after", count: 10, seed: 1 }, () => {})
  expect((await of("after"))[2].length).toBeGreaterThan(5)
})
