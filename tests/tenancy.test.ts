import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { SqlValue } from "../lib/database/database.ts"
import { testServerUrl } from "./postgres-server.ts"
import {
  candidatesByOwner,
  HARBOUR,
  OURS,
  openTwoTenants,
  type RoleSession,
  THEIRS,
  type TwoTenants,
} from "./two-tenants.ts"

// One tenant never sees another's rows through SQL, whoever asks and however: on PGlite, and on a real PostgreSQL where
// the environment names one.

let db: TwoTenants
/** A vector's space of each tenant. */
let spaces: Record<string, number>

beforeAll(async () => {
  db = await openTwoTenants()
  const rows = await db.owner.session((session) =>
    session.query<{ tenant: string; id: number }>(
      "select source_account_id as tenant, id from concordance.embedding_spaces",
    ),
  )
  spaces = Object.fromEntries(rows.map(({ tenant, id }) => [tenant, id]))
})
afterAll(() => db.close())

const TABLES = [
  "documents",
  "chunks",
  "embedding_spaces",
  "embeddings",
  "lexeme_counts",
  "lexeme_count_deltas",
  "entities",
  "entity_mentions",
]
const CANDIDATES = `select * from lexical_candidates(${HARBOUR}, 'harbour | keeper | smuggler', null, null, null, 1000)`
const SEARCH = "select document_id, content from hybrid_search_chunks('harbour keeper smuggler', '[1,0,0]')"
/** Everything that a tenant can ask for, each with a column or more. */
const READS = [
  ...TABLES.map((table) => `select * from ${table}`),
  CANDIDATES,
  SEARCH,
  "select weights from lexical_query('harbour keeper smuggler') where weights is not null",
]

/** One statement as the service in a tenant. */
async function run(tenant: string, text: string, values: readonly SqlValue[] = []) {
  const [rows = []] = await db.database.batch({ tenant }, [{ text, values }])
  return rows
}

const be = (session: RoleSession, tenant: string, local = true) =>
  session.query("select set_config('app.source_account_id', $1, $2::boolean)", [tenant, local])

async function expectNothing(session: RoleSession): Promise<void> {
  for (const read of READS) expect([read, await session.query(read)]).toEqual([read, []])
}

describe("the service's role", () => {
  const asService = <T>(work: (session: RoleSession) => Promise<T>) =>
    db.asLogin("concordance_login", async (session) => {
      await session.query("set role concordance_app")
      return work(session)
    })

  test("sees nothing without a setting, with an empty one, or with one that is no tenant's", async () => {
    await asService(async (session) => {
      await expectNothing(session)
      for (const nobody of ["", " ", "OURS", "ours ", "%", "ours' or 'a'='a"]) {
        await be(session, nobody, false)
        await expectNothing(session)
      }
    })
  })

  test("sees nothing after a setting that was made outside a transaction", async () => {
    await asService(async (session) => {
      await be(session, OURS)
      await expectNothing(session)
    })
  })

  test("sees nothing after the transaction in which it saw its tenant, committed or rolled back", async () => {
    await asService(async (session) => {
      for (const [local, end] of [
        [true, "commit"],
        [true, "rollback"],
        [false, "rollback"],
      ] as const) {
        await session.query("begin")
        await be(session, OURS, local)
        expect(await session.query("select from documents")).toHaveLength(2)
        await session.query(end)
        await expectNothing(session)
      }
    })
  })

  test("is back in its own tenant after a rollback to where another's was not set yet", async () => {
    await asService(async (session) => {
      await session.query("begin")
      await be(session, OURS)
      await session.query("savepoint before")
      await be(session, THEIRS)
      expect(await session.query("select content from chunks where content like '%smuggler%'")).toHaveLength(2)
      await session.query("rollback to before")
      expect(await session.query("select content from chunks where content like '%smuggler%'")).toEqual([])
      expect(await session.query(CANDIDATES)).toHaveLength(2)
      await session.query("rollback")
    })
  })

  test("sees its own rows alone: tables, candidates, search, counts", async () => {
    for (const table of TABLES) {
      const rows = await run(OURS, `select source_account_id as tenant from ${table}`)
      // One of the two is empty: before its differences are folded into the counts, or after.
      if (!table.startsWith("lexeme_count")) expect(rows.length).toBeGreaterThan(0)
      expect(rows.filter(({ tenant }) => tenant !== OURS)).toEqual([])
    }
    expect(await run(OURS, "select from lexeme_counts union all select from lexeme_count_deltas")).not.toEqual([])
    expect(await candidatesByOwner(db, OURS)).toEqual({ own: 2, foreign: 0 })
    expect(JSON.stringify(await run(OURS, SEARCH))).not.toContain("smuggler")
    expect(await run(OURS, "select * from lexical_query('smuggler')")).toMatchObject([
      { weights: null, matching: null },
    ])
  })

  test("learns nothing of other tenants from the planner's statistics", async () => {
    await db.owner.session((session) => session.query("analyze concordance.chunks"))
    expect(await run(OURS, "select * from pg_stats where schemaname = 'concordance'")).toEqual([])
  })

  test("gets nothing by another tenant's space", async () => {
    const dense = "select * from dense_candidates($1, '[1,0,0]', null, null, 10)"
    expect(await run(OURS, dense, [spaces[OURS] ?? 0])).toHaveLength(2)
    expect(await run(OURS, dense, [spaces[THEIRS] ?? 0])).toEqual([])
    const hybrid = `select document_id, similarity from hybrid_candidates('harbour', null, $1, '[1,0,0]', 'weighted', 0.5, 60,
      false, null, 10, 10, 4000)`
    const rows = await run(OURS, hybrid, [spaces[THEIRS] ?? 0])
    expect(rows.map(({ similarity }) => similarity)).toEqual([null, null])
  })

  test("writes no row of another tenant, and can't tell from the refusal whether there is one", async () => {
    const writes = (id: string) => [
      `insert into documents (source_account_id, id) values ('${THEIRS}', '${id}')`,
      `insert into documents (source_account_id, id) values ('${THEIRS}', '${id}') on conflict do nothing`,
      `insert into documents (source_account_id, id) values ('${THEIRS}', '${id}')
         on conflict (source_account_id, id) do update set title = 'taken'`,
      `insert into chunks (source_account_id, document_id, id, ordinal, content, content_hash)
         values ('${THEIRS}', '${id}', 'c0001', 1, 'x', 'x')`,
      `insert into entities (source_account_id, id, kind, key) values ('${THEIRS}', '${id}', 'x', 'x') on conflict do nothing`,
      `insert into entity_mentions (source_account_id, entity_id, document_id, chunk_id, surface, name)
         values ('${THEIRS}', 'other:smuggler', '${id}', 'c0001', 'x', 'x') on conflict do nothing`,
      `insert into lexeme_count_deltas values ('${THEIRS}', 'en', '${id}', 1)`,
      `insert into lexeme_counts values ('${THEIRS}', 'en', '${id}', 1) on conflict do nothing`,
      `insert into embedding_spaces (source_account_id, model, dimensions) values ('${THEIRS}', 'caller:${id}', 3)
         on conflict do nothing`,
    ]
    for (const [i, text] of writes("1").entries()) {
      const refusal = async (statement: string) => run(OURS, statement).then(() => "done", String)
      const there = await refusal(text)
      expect(there).toContain("row-level security")
      expect(await refusal(writes("no such id")[i] ?? "")).toBe(there)
    }
    await expect(
      run(OURS, `update documents set source_account_id = '${THEIRS}' where id = '1'`),
    ).rejects.toMatchObject({
      sqlState: "42501",
    })
    expect(
      await run(OURS, "update documents set title = 'taken' where source_account_id <> 'ours' returning id"),
    ).toEqual([])
    expect(await run(OURS, "delete from chunks where source_account_id <> 'ours' returning id")).toEqual([])
  })

  test("points at no chunk or space of another tenant, and can't tell one from none", async () => {
    const [{ key: own } = {}] = await run(OURS, "select key::text as key from chunks limit 1")
    const [{ key: foreign } = {}] = await run(THEIRS, "select key::text as key from chunks limit 1")
    const insert =
      "insert into embeddings (source_account_id, chunk_key, space_id, embedding) values ($1, $2::bigint, $3::int, '[1,0,0]')"
    const attempt = (key: unknown, space: unknown) =>
      run(OURS, insert, [OURS, String(key), Number(space)]).then(
        () => "done",
        ({ sqlState, message }) => ({ sqlState, message }),
      )
    const refused = await attempt(foreign, spaces[OURS])
    expect(refused).toMatchObject({ sqlState: "23503" })
    expect(await attempt(999_999, spaces[OURS])).toEqual(refused)
    const noSpace = await attempt(own, spaces[THEIRS])
    expect(noSpace).toMatchObject({ sqlState: "23503" })
    expect(await attempt(own, 999_999)).toEqual(noSpace)
  })

  test("chooses no id of a space, which would tell whether another tenant has it", async () => {
    const insert = `insert into embedding_spaces (id, source_account_id, model, dimensions) overriding system value
      values ($1::int, '${OURS}', 'mine', 3)`
    await expect(run(OURS, insert, [spaces[THEIRS] ?? 0])).rejects.toMatchObject({ sqlState: "42501" })
    await expect(run(OURS, insert, [999_999])).rejects.toMatchObject({ sqlState: "42501" })
  })

  test("finds a key by its hash alone, makes none, and reads none of the owner's tables", async () => {
    await db.owner.session((session) =>
      session.query(
        "insert into concordance.api_keys (id, key_hash, tenants, scopes) values ('k', 'hash', '{ours}', '{search}')",
      ),
    )
    const keys = { text: "select id from api_keys" }
    expect(await db.database.batch({ apiKeyHash: "hash" }, [keys])).toEqual([[{ id: "k" }]])
    for (const scope of [{ apiKeyHash: "" }, { apiKeyHash: "other" }, { tenant: OURS }]) {
      expect(await db.database.batch(scope, [keys])).toEqual([[]])
    }
    const forbidden = [
      "insert into api_keys (id, key_hash, tenants, scopes) values ('x', 'x', '{*}', '{search}')",
      "update api_keys set tenants = '{*}'",
      "delete from api_keys",
      "select * from schema_migrations",
      "select * from plugin_upgrade",
      "select * from plugin_rows_left",
      `insert into role_tenants values ('concordance_app', '${THEIRS}')`,
      "create table concordance.mine (x int)",
      "create function concordance.mine() returns int language sql as 'select 1'",
      "alter table chunks disable row level security",
      "select concordance.serve_plugin_views()",
      // The embedded database has one session, the owner's own, and runs no SQL but ours.
      ...(testServerUrl() ? ["set session authorization postgres", "set role concordance_reader"] : []),
    ]
    for (const text of forbidden) {
      const attempt = db.database.batch({ apiKeyHash: "hash" }, [{ text }])
      await expect(attempt, text).rejects.toMatchObject({ sqlState: "42501" })
    }
  })
})

describe("the login of the service", () => {
  test("may do nothing before it becomes the service's role", async () => {
    await db.asLogin("concordance_login", async (session) => {
      await be(session, OURS, false)
      for (const read of READS) await expect(session.query(read), read).rejects.toThrow("does not exist")
      await expect(session.query("select * from concordance.chunks")).rejects.toThrow("permission denied for schema")
    })
  })
})
