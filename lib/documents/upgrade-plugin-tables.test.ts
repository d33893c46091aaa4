import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { openEmptyDatabase, openTestDatabase, type TestDatabase } from "../../tests/database.ts"
import { testServerUrl } from "../../tests/postgres-server.ts"
import { MIGRATIONS_FOLDER, migrate } from "../database/migrate.ts"
import { AppError } from "../errors.ts"
import type { IndexDocuments } from "./index-documents.ts"
import { upgradePluginTables } from "./upgrade-plugin-tables.ts"

let db: TestDatabase

beforeAll(async () => {
  db = await openEmptyDatabase()
})
afterAll(() => db.close())
afterEach(() =>
  sql(`
    drop schema if exists concordance cascade;
    drop table if exists np_retrieval_documents_v0, np_retrieval_embeddings_v0`),
)

const sql = (text: string) => db.owner.session((session) => session.script(text))
const query = (text: string) => db.owner.session((session) => session.query(text))

/** The tables as the plugin makes them, with `documents` documents of each of two tenants; every second has a vector. */
async function createPluginTables(documents: number): Promise<void> {
  await sql(`
    create extension if not exists vector;
    create table np_retrieval_documents (
      id text, source_account_id text default 'primary', title text default '', content text not null,
      created_at timestamptz default now(), updated_at timestamptz default now(), primary key (id, source_account_id));
    create index on np_retrieval_documents using gin (to_tsvector('english', content));
    create table np_retrieval_embeddings (
      document_id text, source_account_id text, embedding vector(1536) not null,
      created_at timestamptz default now(), updated_at timestamptz default now(), primary key (document_id, source_account_id),
      foreign key (document_id, source_account_id) references np_retrieval_documents (id, source_account_id) on delete cascade);
    create index on np_retrieval_embeddings using ivfflat (embedding vector_cosine_ops) with (lists = 10);
    insert into np_retrieval_documents
    select 'doc ' || i, tenant, 'Title ' || i, 'Content of ' || i || ' for ' || tenant, '2023-01-02 03:04:05Z', '2023-02-03 04:05:06Z'
      from generate_series(1, ${documents}) i, unnest(array['primary', 'other']) tenant;
    insert into np_retrieval_embeddings
    select id, source_account_id, (array[substr(id, 5)::real] || array_fill(0.5::real, array[1535]))::vector
      from np_retrieval_documents where substr(id, 5)::int % 2 = 0;`)
}

/** Stands for the product's indexing: a document as one chunk, its vector in the space of its dimensions. */
const indexAsOneChunk: IndexDocuments = async (tenant, requests) => {
  for (const { id, title, content = "", embedding } of requests) {
    await db.database.transaction({ tenant }, async (transaction) => {
      await transaction.query("insert into documents (source_account_id, id, title) values ($1, $2, $3)", [
        tenant,
        id,
        title,
      ])
      const [chunk] = await transaction.query<{ key: string }>(
        `insert into chunks (source_account_id, document_id, id, ordinal, title, content, content_hash)
         values ($1, $2, 'c0001', 1, $3, $4, '') returning key`,
        [tenant, id, title, content],
      )
      if (!embedding) return
      await transaction.query(
        `insert into embedding_spaces (source_account_id, model, dimensions) values ($1, $2, $3) on conflict do nothing`,
        [tenant, `caller:${embedding.length}`, embedding.length],
      )
      await transaction.query(
        `insert into embeddings select $1, $2::bigint, id, $3::halfvec from embedding_spaces where model = $4`,
        [tenant, chunk?.key ?? null, JSON.stringify(embedding), `caller:${embedding.length}`],
      )
    })
  }
  return requests.map(({ id }) => ({ id, indexed: { status: "indexed" } }))
}

const upgrade = (index: IndexDocuments = indexAsOneChunk, batchRows = 3) =>
  upgradePluginTables({ database: db.database, owner: db.owner, index, batchRows })

const ROWS = `
  select id, source_account_id, title, content, created_at, updated_at from public.np_retrieval_documents
  order by id collate "C", source_account_id`
const VECTORS = `
  select document_id, source_account_id, embedding::text, vector_dims(embedding) as dimensions
  from public.np_retrieval_embeddings order by document_id collate "C", source_account_id`

test("after the first start the views serve what the tables held: rows, times and vectors", async () => {
  await createPluginTables(10)
  const [rows, vectors] = [await query(ROWS), await query(VECTORS)]
  await migrate(db.owner, MIGRATIONS_FOLDER)
  expect(await upgrade()).toEqual({ copied: 20, left: 0 })

  expect(await query(ROWS)).toEqual(rows)
  expect(await query(VECTORS)).toEqual(vectors)
  expect(
    await query("select relkind from pg_class where relname like 'np_retrieval_documents' and relkind = 'v'"),
  ).toHaveLength(1)
  expect(await query("select count(*)::int as n from public.np_retrieval_documents_v0")).toEqual([{ n: 20 }])
})

test("a later start finds nothing to do", async () => {
  await createPluginTables(1)
  await migrate(db.owner, MIGRATIONS_FOLDER)
  await upgrade()
  expect(await upgrade(() => Promise.reject(new Error("nothing is to be indexed")))).toBeUndefined()
})

test("a start that dies at any batch, before or after its rows are written, is resumed by the next: nothing twice", async () => {
  await createPluginTables(6)
  const rows = await query(ROWS)
  await migrate(db.owner, MIGRATIONS_FOLDER)
  const indexed: string[] = []
  let calls = 0
  const dying: IndexDocuments = async (tenant, requests, deadline) => {
    calls++
    if (calls % 3 === 1) throw new Error("killed before")
    const outcomes = await indexAsOneChunk(tenant, requests, deadline)
    indexed.push(...requests.map(({ id }) => `${tenant} ${id}`))
    if (calls % 3 === 2) throw new Error("killed after")
    return outcomes
  }
  let result: unknown
  for (let start = 0; start < 30 && result === undefined; start++) {
    result = await upgrade(dying).catch(() => undefined)
    if (result === undefined)
      expect(await query("select to_regclass('public.np_retrieval_documents')::text as view")).toEqual([{ view: null }])
  }
  expect(result).toEqual({ copied: 12, left: 0 })
  expect(new Set(indexed).size).toBe(indexed.length)
  expect(indexed).toHaveLength(12)
  expect(await query(ROWS)).toEqual(rows)
})

test("a document that was indexed anew while the copy ran is not overwritten by the old one", async () => {
  await createPluginTables(2)
  await migrate(db.owner, MIGRATIONS_FOLDER)
  const fresh = { id: "doc 2", title: "", content: "newer", metadata: {}, parents: [] }
  await indexAsOneChunk("primary", [fresh], { left: () => 1, signal: new AbortController().signal })
  await upgrade()
  expect(
    await query(
      "select content from public.np_retrieval_documents where id = 'doc 2' and source_account_id = 'primary'",
    ),
  ).toEqual([{ content: "newer" }])
})

test("rows that cannot be documents stay behind, with the reason; the others are copied", async () => {
  await createPluginTables(3)
  await sql("insert into np_retrieval_documents (id, content) values ('blank', '  '), (repeat('x', 1100), 'long id')")
  await migrate(db.owner, MIGRATIONS_FOLDER)
  const refusing: IndexDocuments = async (tenant, requests, deadline) => {
    const accepted = await indexAsOneChunk(
      tenant,
      requests.filter(({ id }) => id !== "doc 3"),
      deadline,
    )
    const refused = requests.filter(({ id }) => id === "doc 3")
    return [
      ...accepted,
      ...refused.map(({ id }) => ({ id, failed: new AppError("invalid_request", "no such language") })),
    ]
  }
  expect(await upgrade(refusing)).toEqual({ copied: 4, left: 4 })
  expect(
    await query(
      "select left(id, 5) as id, source_account_id as tenant, reason from concordance.plugin_rows_left order by 1, 2",
    ),
  ).toEqual([
    { id: "blank", tenant: "primary", reason: expect.stringContaining("content") },
    { id: "doc 3", tenant: "other", reason: "no such language" },
    { id: "doc 3", tenant: "primary", reason: "no such language" },
    { id: "xxxxx", tenant: "primary", reason: expect.stringContaining("id: must be at most 1024 bytes") },
  ])
})

test("a model or database that is away stops the copy and blames no row", async () => {
  await createPluginTables(2)
  await migrate(db.owner, MIGRATIONS_FOLDER)
  const away: IndexDocuments = async (_, requests) =>
    requests.map(({ id }) => ({ id, failed: new AppError("inference_unavailable", "away") }))
  await expect(upgrade(away)).rejects.toMatchObject({ code: "inference_unavailable" })
  expect(await upgrade()).toEqual({ copied: 4, left: 0 })
})

// The embedded database is one process's alone: there, a second start is refused by the directory lock.
test.runIf(testServerUrl())("starts that come at once copy every row once", async () => {
  await createPluginTables(5)
  await migrate(db.owner, MIGRATIONS_FOLDER)
  const results = await Promise.all([upgrade(), upgrade(), upgrade()])
  expect(results.filter((result) => result !== undefined)).toEqual([{ copied: 10, left: 0 }])
})

test("nself_user sees the tenant of its Hasura session through the views, and nothing without one", async () => {
  await createPluginTables(4)
  await migrate(db.owner, MIGRATIONS_FOLDER)
  await upgrade()
  const seen = await db.owner.session(async (session) => {
    await session.query("grant nself_user to current_user")
    const as = async (hasuraUser: string | undefined) =>
      session.transaction(async () => {
        await session.query("set local role nself_user")
        if (hasuraUser !== undefined) await session.query("select set_config('hasura.user', $1, true)", [hasuraUser])
        const documents = await session.query<{ tenant: string }>(
          "select distinct source_account_id as tenant from np_retrieval_documents",
        )
        const vectors = await session.query<{ tenant: string }>(
          "select distinct source_account_id as tenant from np_retrieval_embeddings",
        )
        return [documents, vectors].map((rows) => rows.map(({ tenant }) => tenant).sort())
      })
    const everyone = [
      await as(undefined),
      await as(JSON.stringify({ "x-hasura-source-account-id": "other", "x-hasura-role": "user" })),
      await as(JSON.stringify({ "x-hasura-source-account-id": "primary" })),
      await as(JSON.stringify({ "x-hasura-source-account-id": "" })),
      await as(JSON.stringify({ "x-hasura-role": "user" })),
      await as(""),
    ]
    return everyone
  })
  const nothing = [[], []]
  expect(seen).toEqual([nothing, [["other"], ["other"]], [["primary"], ["primary"]], nothing, nothing, nothing])
})

test("a fresh database has the views from its first migration, and they can be joined with other tables", async () => {
  const fresh = await openTestDatabase()
  try {
    const rows = await fresh.owner.session((session) =>
      session.query(`
        select d.id from np_retrieval_documents d left join np_retrieval_embeddings e on e.document_id = d.id
          join (select 'x'::text as id) t on t.id = d.id`),
    )
    expect(rows).toEqual([])
    const nothing = upgradePluginTables({
      database: fresh.database,
      owner: fresh.owner,
      index: () => Promise.reject(new Error("no")),
    })
    expect(await nothing).toBeUndefined()
  } finally {
    await fresh.close()
  }
})
