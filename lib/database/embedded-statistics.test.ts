import { expect, test } from "vitest"
import { openEmptyDatabase } from "../../tests/database.ts"
import { testServerUrl } from "../../tests/postgres-server.ts"

// A server has autovacuum.
test.runIf(!testServerUrl())(
  "after a bulk load the embedded database learns by itself how large its tables are, and forgets dead rows",
  async () => {
    const { owner, close } = await openEmptyDatabase()
    await owner.session((session) =>
      session.script("create table load as select i from generate_series(1, 5000) i; delete from load where i > 4000"),
    )
    const look = () =>
      owner.session((session) =>
        session.query(`
        select c.reltuples::int as rows, s.n_dead_tup::int as dead from pg_class c
          join pg_stat_user_tables s on s.relid = c.oid where c.relname = 'load'`),
      )
    expect(await look()).toMatchObject([{ rows: -1 }])
    // It rests for a second before it looks; every look of ours is work to it.
    await expect.poll(look, { interval: 2_000, timeout: 20_000 }).toEqual([{ rows: 4000, dead: 0 }])
    await close()
  },
)
