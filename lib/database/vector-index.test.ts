import { afterAll, beforeAll, expect, test } from "vitest"
import { openTestDatabase, type TestDatabase } from "../../tests/database.ts"
import { buildVectorIndex, listVectorSpaces } from "./vector-index.ts"

let opened: TestDatabase
const scope = { tenant: "harbour" }

const NEAREST = `select jsonb_agg(chunk_key order by similarity desc, chunk_key) as keys from dense_candidates(
  (select id from embedding_spaces), '[1,0.5,0.25]', null, null, 10)`

beforeAll(async () => {
  opened = await openTestDatabase()
  await opened.database.batch(scope, [
    { text: "insert into documents (source_account_id, id) values ('harbour', 'log')" },
    {
      text: `insert into chunks (source_account_id, document_id, id, ordinal, content, content_hash)
        select 'harbour', 'log', 'c' || i, i, 'entry ' || i, i from generate_series(1, 300) i`,
    },
    { text: "insert into embedding_spaces (source_account_id, model, dimensions) values ('harbour', 'toy', 3)" },
    {
      text: `insert into embeddings (source_account_id, chunk_key, space_id, embedding)
        select 'harbour', key, (select id from embedding_spaces),
               format('[%s,%s,%s]', sin(ordinal), cos(ordinal * 1.7), sin(ordinal * 0.3))::halfvec from chunks`,
    },
  ])
})
afterAll(() => opened?.close())

test("an indexed space finds what the exact scan finds, through its index", async () => {
  const [[exact]] = (await opened.database.batch(scope, [{ text: NEAREST }])) as [[{ keys: number[] }]]
  await buildVectorIndex(opened.owner, "harbour", "toy")
  const [[indexed]] = (await opened.database.batch(scope, [{ text: NEAREST }])) as [[{ keys: number[] }]]
  expect(exact.keys).toHaveLength(10)
  expect(indexed.keys).toEqual(exact.keys)

  const [space] = await listVectorSpaces(opened.owner)
  expect(space).toMatchObject({ tenant: "harbour", model: "toy", dimensions: 3, indexed: true, vectors: 300 })
  const [ids = []] = await opened.database.batch(scope, [{ text: "select id from embedding_spaces" }])
  const [, plan = []] = await opened.database.batch(scope, [
    { text: "set local enable_sort = off" },
    {
      text: `explain select chunk_key from embeddings where space_id = ${ids[0]?.["id"]}
        order by embedding::halfvec(3) <=> '[1,0.5,0.25]'::halfvec limit 10`,
    },
  ])
  expect(JSON.stringify(plan)).toContain(`embeddings_space_${ids[0]?.["id"]}`)
})

test("building again replaces the index, and a space that isn't there is named", async () => {
  await buildVectorIndex(opened.owner, "harbour", "toy")
  await expect(buildVectorIndex(opened.owner, "harbour", "other")).rejects.toThrow(/harbour has no vectors of other/)
})
