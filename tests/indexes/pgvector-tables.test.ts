import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createCollection } from "../../lib/indexes/collection.ts"
import { readRecord } from "../../lib/indexes/field-mapping.ts"
import type { PgNames } from "../../lib/indexes/pgvector/pg-table.ts"
import { createPgvectorIndex } from "../../lib/indexes/pgvector/pgvector-index.ts"
import type { IndexClause, SearchIndex } from "../../lib/indexes/search-index.ts"
import { openEmptyDatabase, type TestDatabase } from "../database.ts"
import { accessTo } from "./foreign-postgres.ts"
import { callIn } from "./records.ts"

// Tables that other tools made, none of them ours.

let db: TestDatabase
beforeAll(async () => {
  db = await openEmptyDatabase()
  await db.owner.session((session) => session.query("create extension if not exists vector"))
})
afterAll(() => db.close())

const sql = (text: string) => db.owner.session((session) => session.script(text))
const NAMES = {
  id: "id",
  content: "content",
  embedding: "embedding",
  metadata: "metadata",
  tsvector: null,
  textConfig: "english",
}
const open = (names: Partial<PgNames> & Pick<PgNames, "table">) =>
  createPgvectorIndex(accessTo(db), { ...NAMES, ...names })
const near = (index: SearchIndex, filter: readonly IndexClause[] = [], vector = [1, 0, 0]) =>
  index.searchDense({ vector, limit: 10, filter, withVectors: true }, callIn())

test("LangChain's table: uuid, document, cmetadata, a vector without dimensions", async () => {
  await sql(`create table langchain_pg_embedding (id uuid primary key, collection_id uuid, embedding vector, document varchar, cmetadata jsonb);
    insert into langchain_pg_embedding values
      ('a0000000-0000-4000-8000-000000000001', null, '[1,0,0]', 'Rope', '{"source": "a.pdf", "page": 0}'),
      ('a0000000-0000-4000-8000-000000000002', null, '[0,1,0]', 'Salt', '{"source": "b.pdf", "page": 2}')`)
  const index = open({ table: "langchain_pg_embedding", content: "document", metadata: "cmetadata" })
  const layout = await createCollection(index, { settings: {}, model: { model: "m", dimensions: 3 } }).layout(callIn())
  expect(layout?.facts).toEqual({ dimensions: 3, metric: "cosine" })
  const [best] = await near(index)
  expect(best?.score).toBeCloseTo(1, 5)
  expect(layout && best && readRecord(layout.mapping, best)).toMatchObject({
    content: "Rope",
    documentId: "a.pdf",
    page: 1,
  })
  const ids = ["A0000000-0000-4000-8000-000000000002", "not a uuid", "a0000000-0000-4000-8000-00000000000f"]
  expect((await index.fetch(ids, callIn())).map(({ text }) => text)).toEqual(["Salt"])
})

test("names with quotes, spaces and SQL in them are names", async () => {
  const table = 'my "table"; drop table x --'
  await sql(
    `create table "my ""table""; drop table x --" ("the id" int primary key, "text's" text, "em""b" vector(3), "m d" json, "a'b" text)`,
  )
  await sql(
    `insert into "my ""table""; drop table x --" values (1, 'Rope', '[1,0,0]', '{"k": 1}', 'x'), (2, 'Salt', '[0,1,0]', null, null)`,
  )
  const index = open({ table, id: "the id", content: "text's", embedding: 'em"b', metadata: "m d" })
  expect((await near(index)).map(({ id, text, payload }) => [id, text, payload])).toEqual([
    ["1", "Rope", { k: 1, "a'b": "x" }],
    ["2", "Salt", { "a'b": null }],
  ])
  const clause = (path: string[], operator: string, value: unknown) =>
    ({ field: path.join("."), path, operator, value }) as IndexClause
  expect(await near(index, [clause(["a'b"], "eq", "x")])).toHaveLength(1)
  expect(await near(index, [clause(["a'b"], "eq", null)])).toHaveLength(1)
  expect(await near(index, [clause(["k"], "exists", false)])).toHaveLength(1)
  expect(await near(index, [clause([], "in", ["2", "3"])])).toHaveLength(1)
  expect(await index.fetch(["1", "2147483648", "1e3", "-1"], callIn())).toHaveLength(1)
})

test("a table in another schema, and one that isn't there", async () => {
  await sql(
    "create schema other; create table other.docs (id bigint, content text, embedding vector(3)); insert into other.docs values (9007199254740993, 'Rope', '[1,0,0]')",
  )
  const index = open({ table: "other.docs" })
  expect((await near(index)).map(({ id }) => id)).toEqual(["9007199254740993"])
  expect(await open({ table: "other.nothing" }).describe(callIn())).toBeNull()
})

describe.each([
  ["vector_cosine_ops", "cosine", [1, 0.6]],
  ["vector_l2_ops", "euclidean", [1, 0.6]],
  ["vector_ip_ops", "dot", [1, 0.6]],
] as const)("an HNSW index of %s", (operators, metric, expected) => {
  test("decides the operator, and similarity is the cosine of unit vectors all the same", async () => {
    const table = `hnsw_${metric}`
    await sql(`create table ${table} (id text, content text, embedding vector(3));
      insert into ${table} values ('a', 'x', '[1,0,0]'), ('b', 'y', '[0.6,0.8,0]');
      create index on ${table} using hnsw (embedding ${operators})`)
    const index = open({ table })
    expect((await index.describe(callIn()))?.metric).toBe(metric)
    const found = await near(index)
    expect(found.map(({ id }) => id)).toEqual(["a", "b"])
    for (const [i, { score }] of found.entries()) expect(score).toBeCloseTo(expected[i] ?? 0, 5)
  })
})

test("an index of an expression is the one that answers", async () => {
  await sql(`create table halves (id text, content text, embedding vector);
    insert into halves select 'r' || i, 'x', ('[' || i || ',1,0]')::vector from generate_series(1, 50) i;
    create index halves_idx on halves using hnsw ((embedding::halfvec(3)) halfvec_cosine_ops)`)
  const index = open({ table: "halves" })
  expect((await near(index))[0]?.id).toBe("r50")
  const plan = await db.owner.session((session) =>
    session.transaction(async () => {
      await session.query("set local enable_seqscan = off")
      return session.query(
        "explain select id from halves t order by (embedding::halfvec(3)) <=> $1::text::halfvec limit 3",
        ["[1,0,0]"],
      )
    }),
  )
  expect(JSON.stringify(plan)).toContain("halves_idx")
})

test("vectors that aren't of unit length can't be compared by another measure than cosine", async () => {
  await sql(`create table long (id text, content text, embedding vector(3)); insert into long values ('a', 'x', '[3,4,0]');
    create index on long using hnsw (embedding vector_ip_ops)`)
  const collection = createCollection(open({ table: "long" }), { settings: {}, model: { model: "m", dimensions: 3 } })
  await expect(collection.layout(callIn())).rejects.toThrow(
    /dot product and holds some of length 5\.00; the embedding model m/,
  )
})

test.each([
  [{ content: "body" }, /no column body: correct PGVECTOR_CONTENT_COLUMN. It has id, content, embedding/],
  [{ embedding: "content" }, /a column content of type text, not vector or halfvec: correct PGVECTOR_EMBEDDING_COLUMN/],
  [{ tsvector: "content" }, /of type text, not tsvector: correct PGVECTOR_TSVECTOR_COLUMN/],
])("a column that doesn't fit is named with its setting: %j", async (names, message) => {
  await sql("create table if not exists plain (id text, content text, embedding vector(3))")
  await expect(open({ table: "plain", ...names }).describe(callIn())).rejects.toThrow(message)
})

test("a column of the table is filtered by its own type", async () => {
  await sql(`create table typed (id text, content text, embedding vector(3), tenant text, year int, price numeric, open boolean, tags text[], day date);
    insert into typed values ('a', 'x', '[1,0,0]', 'acme', 1990, 2.5, true, '{reef,sea}', '2024-01-02'), ('b', 'y', '[0,1,0]', null, null, null, null, null, null)`)
  const index = open({ table: "typed" })
  const clause = (field: string, operator: string, value: unknown) =>
    ({ field, path: [field], operator, value }) as IndexClause
  const cases: [string, string, unknown, string[]][] = [
    ["tenant", "eq", "acme", ["a"]],
    ["tenant", "in", ["acme", null], ["a", "b"]],
    ["tenant", "eq", 3, []],
    ["year", "eq", 1990, ["a"]],
    ["year", "eq", "1990", []],
    ["year", "gt", 1989.5, ["a"]],
    ["price", "lte", 2.5, ["a"]],
    ["open", "eq", true, ["a"]],
    ["tags", "eq", "sea", ["a"]],
    ["day", "gte", "2024-01-01", ["a"]],
    ["tenant", "exists", true, ["a", "b"]],
    ["absent", "exists", false, ["a", "b"]],
  ]
  for (const [field, operator, value, ids] of cases) {
    const found = await near(index, [clause(field, operator, value)])
    expect(found.map(({ id }) => id).toSorted(), `${field} ${operator} ${value}`).toEqual(ids)
  }
})

test("words are ranked by how rare they are in the whole table", async () => {
  await sql(`create table worded (id int, content text, embedding vector(3), words tsvector generated always as (to_tsvector('english', content)) stored);
    insert into worded (id, content, embedding) select i, 'harbour lighthouse ' || case when i = 77 then 'binnacle' else 'anchor' end, '[1,0,0]' from generate_series(1, 300) i`)
  const index = open({ table: "worded", tsvector: "words" })
  const query = { filter: [], limit: 5, withVectors: false }
  const found = (await index.searchLexical?.({ ...query, text: "the harbours' binnacles" }, callIn())) ?? []
  expect(found.map(({ id }) => id)[0]).toBe("77")
  // ln(1 + 299.5 / 1.5) and ln(1 + .5 / 300.5), each times 2.2 / (1 + 1.2 * (.25 + .75 * 3 / 110)).
  expect(found[0]?.score).toBeCloseTo(
    (Math.log(1 + 299.5 / 1.5) + Math.log(1 + 0.5 / 300.5)) * (2.2 / (1 + 1.2 * (0.25 + (0.75 * 3) / 110))),
    3,
  )
  expect(await index.searchLexical?.({ ...query, text: "the of and" }, callIn())).toEqual([])
  expect(await index.searchLexical?.({ ...query, text: "quux ' \\ & | !" }, callIn())).toEqual([])
})
