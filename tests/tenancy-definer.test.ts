import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  candidatesByOwner,
  HARBOUR,
  OURS,
  openTwoTenants,
  type RoleSession,
  THEIRS,
  type TwoTenants,
} from "./two-tenants.ts"

// `lexical_candidates` runs with the owner's power, past row-level security. Who may ask it, for whom, and whether anything
// that a caller can make takes part in it.

let db: TwoTenants
beforeAll(async () => {
  db = await openTwoTenants()
})
afterAll(() => db.close())

const CANDIDATES = `select document_id from lexical_candidates(${HARBOUR}, 'harbour | keeper | smuggler', null, null,
  '$ ? ($document_id starts with "")', 1000)`
const SEARCH = "select content from hybrid_search_chunks('harbour keeper smuggler', '[1,0,0]')"

const be = (session: RoleSession, tenant: string) =>
  session.query("select set_config('app.source_account_id', $1, false)", [tenant])

async function allow(login: string, tenant: string): Promise<void> {
  await db.owner.session((session) =>
    session.query("insert into concordance.role_tenants values ($1, $2)", [login, tenant]),
  )
}

describe("somebody with a login of their own", () => {
  test("may not ask for candidates, nor look into the schema, outside of our roles", async () => {
    await db.asLogin(await db.createLogin(), async (session) => {
      await be(session, OURS)
      const call = "select concordance.lexical_candidates(null, 'harbour', null, null, null, 10)"
      await expect(session.query(call)).rejects.toThrow("permission denied for schema concordance")
      await expect(session.query("select concordance.current_tenant()")).rejects.toThrow("permission denied for schema")
    })
    await db.asLogin(await db.createLogin("nself_user"), async (session) => {
      await be(session, OURS)
      await expect(session.query(CANDIDATES)).rejects.toThrow("permission denied for function lexical_candidates")
      await expect(session.query(SEARCH)).rejects.toThrow("permission denied")
    })
  })

  test("sees nothing as a reader whom no tenant let in, whatever the setting says", async () => {
    await db.asLogin(await db.createLogin("concordance_reader"), async (session) => {
      for (const tenant of ["", OURS, THEIRS]) {
        await be(session, tenant)
        for (const read of [
          CANDIDATES,
          SEARCH,
          "select * from documents",
          "select * from embeddings",
          "select * from role_tenants",
        ]) {
          expect([read, await session.query(read)]).toEqual([read, []])
        }
      }
    })
  })

  test("sees, as a reader, the tenant that let them in: the setting chooses among those, and adds none", async () => {
    const reader = await db.createLogin("concordance_reader")
    await allow(reader, OURS)
    await allow(await db.createLogin("concordance_reader"), THEIRS)
    await db.asLogin(reader, async (session) => {
      expect(await session.query(CANDIDATES)).toEqual([])
      await be(session, THEIRS)
      for (const read of [CANDIDATES, SEARCH, "select * from chunks"]) expect(await session.query(read)).toEqual([])
      await be(session, OURS)
      expect(await session.query(CANDIDATES)).toHaveLength(2)
      expect(await session.query("select distinct source_account_id as tenant from chunks")).toEqual([{ tenant: OURS }])
      const found = await session.query(SEARCH)
      expect(found).toHaveLength(2)
      expect(JSON.stringify(found)).not.toContain("smuggler")
      // Becoming the group changes nothing: it is the login that was let in.
      await session.query("set role concordance_reader")
      expect(await session.query(CANDIDATES)).toHaveLength(2)
      await be(session, THEIRS)
      expect(await session.query(CANDIDATES)).toEqual([])
    })
  })

  test("changes nothing as a reader", async () => {
    const reader = await db.createLogin("concordance_reader")
    await allow(reader, OURS)
    await db.asLogin(reader, async (session) => {
      await be(session, OURS)
      const writes = [
        "update chunks set content = ''",
        "delete from documents",
        "insert into documents (source_account_id, id) values ('ours', '9')",
        "select compact_lexeme_counts('ours')",
        `insert into role_tenants values ('${reader}', '${THEIRS}')`,
      ]
      for (const text of writes) await expect(session.query(text), text).rejects.toThrow("permission denied for table")
    })
  })
})

describe("what a caller makes", () => {
  const DECOYS = `
    create temporary table role_tenants as select session_user::name as role_name, '${THEIRS}' as source_account_id;
    create temporary table embedding_spaces as select 1 as id, true as indexed, 3 as dimensions, 'x' as model, 'active' as state;
    create temporary table lexeme_counts as select 'ours' as source_account_id, 'en' as lexicon, 'decoy' as lexeme, 5 as chunks;
    create temporary table lexeme_count_deltas as select * from lexeme_counts;
    create temporary table documents as select 'decoy' as id;
    create temporary table embeddings as select 'decoy' as id;
    create temporary table chunks as
      select 1 as key, 'ours' as source_account_id, 'decoy' as document_id, 'decoy' as id, to_tsvector('simple', 'harbour') as lexemes`

  test("temporary tables named like ours take no part in candidates, counts, tenants or writes", async () => {
    for (const [login, group] of [
      ["concordance_login", "concordance_app"],
      [await db.createLogin("concordance_reader"), "concordance_reader"],
    ] as const) {
      if (group === "concordance_reader") await allow(login, OURS)
      await db.asLogin(login, async (session) => {
        await session.query(`set role ${group}`)
        await be(session, OURS)
        const before = [await session.query(CANDIDATES), await session.query(SEARCH)]
        for (const statement of DECOYS.split(";")) await session.query(statement)
        await session.query("set search_path = pg_temp, concordance, public")
        expect([await session.query(CANDIDATES), await session.query(SEARCH)]).toEqual(before)
        expect(before[0]).toHaveLength(2)
        await be(session, THEIRS)
        if (group === "concordance_reader") expect(await session.query(CANDIDATES)).toEqual([])
        await session.query("discard temp")
      })
    }
    expect(await candidatesByOwner(db, OURS)).toEqual({ own: 2, foreign: 0 })
  })

  // Overloads that fit better than the system's polymorphic ones win even when the system stands first on the path.
  const TRAP = "language plpgsql as $trap$ begin raise exception 'ran as %', current_user; end $trap$"
  const TRAPS = [
    `function cardinality(bigint[]) returns int ${TRAP}`,
    `function unnest(bigint[]) returns setof bigint ${TRAP}`,
    `function jsonb_build_object(text, text, text, text, text, text) returns jsonb ${TRAP}`,
    `function jsonb_path_exists(jsonb, jsonpath, jsonb, boolean) returns boolean ${TRAP}`,
    `function pg_has_role(name, text, text) returns boolean ${TRAP}`,
    `function current_setting(text, boolean) returns text ${TRAP}`,
    `function current_tenant() returns text ${TRAP}`,
    `function random() returns float8 ${TRAP}`,
    `function hashtextextended(text, int) returns bigint ${TRAP}`,
    `function lexicon(text) returns text ${TRAP}`,
    `function trap_step(text[], text) returns text[] ${TRAP}`,
    "aggregate array_agg(text) (sfunc = trap_step, stype = text[])",
    `function trap_texts(text, text) returns boolean ${TRAP}`,
    "operator = (leftarg = text, rightarg = text, function = trap_texts)",
    `function trap_match(tsvector, tsquery) returns boolean ${TRAP}`,
    "operator @@ (leftarg = tsvector, rightarg = tsquery, function = trap_match)",
    `function trap_over(bigint, numeric) returns numeric ${TRAP}`,
    "operator / (leftarg = bigint, rightarg = numeric, function = trap_over)",
    `function trap_less(float8, numeric) returns boolean ${TRAP}`,
    "operator < (leftarg = float8, rightarg = numeric, function = trap_less)",
    `function trap_differ(numeric, int) returns boolean ${TRAP}`,
    "operator <> (leftarg = numeric, rightarg = int, function = trap_differ)",
  ]

  test("functions and operators never run with the owner's power, not even from the extensions' schema", async () => {
    const scratch = await openTwoTenants()
    try {
      await scratch.owner.session((session) => session.query("grant create on schema public to concordance_app"))
      await scratch.asLogin("concordance_login", async (session) => {
        await session.query("set role concordance_app")
        await session.query("set search_path = public, concordance, pg_temp")
        for (const trap of TRAPS) await session.query(`create ${trap}`)
        await session.query("begin")
        await be(session, OURS)
        expect(await session.query(CANDIDATES)).toHaveLength(2)
        // By the foreign key its chunks go too, as the owner; then their counts.
        await session.query("delete from documents where id operator(pg_catalog.=) '1'")
        await session.query("select compact_lexeme_counts('ours')")
        await session.query("rollback")
      })
    } finally {
      await scratch.close()
    }
  })
})
