import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openTestDatabase, type TestDatabase } from "../../tests/database.ts"
import { asSuperuser, testServerUrl } from "../../tests/postgres-server.ts"
import type { AppError } from "../errors.ts"
import type { Database, Row, SqlValue } from "./database.ts"
import { openDatabase } from "./open-database.ts"
import { StatementError } from "./statement-error.ts"

// The contract of all three drivers: PGlite here; node-postgres and Neon where the environment names a server.
let db: TestDatabase
let database: Database

beforeAll(async () => {
  db = await openTestDatabase()
  database = db.database
  await db.owner.session((session) =>
    session.script(`
      create table concordance.notes (source_account_id text not null, id int not null, body text, primary key (source_account_id, id));
      alter table concordance.notes enable row level security;
      create policy tenant on concordance.notes to concordance_app
        using (source_account_id = (select current_setting('app.source_account_id', true)));
      grant select, insert, update, delete on concordance.notes to concordance_app;`),
  )
})
afterAll(() => db.close())

const WHO = `select current_user::text as role, current_setting('app.source_account_id', true) as tenant,
                    current_setting('app.api_key_hash', true) as key`
const INSERT =
  "insert into notes (source_account_id, id, body) values (current_setting('app.source_account_id'), $1, $2)"

async function one(text: string, values: readonly SqlValue[] = [], tenant = "a"): Promise<Row> {
  const [rows] = await database.batch({ tenant }, [{ text, values }])
  return rows?.[0] ?? {}
}

async function bodies(tenant: string): Promise<unknown[]> {
  const [rows = []] = await database.batch({ tenant }, [{ text: "select body from notes order by id" }])
  return rows.map(({ body }) => body)
}

describe("values", () => {
  const texts = [
    "",
    "plain",
    'it\'s "quoted"',
    "back\\slash \\' \\n",
    "line\nbreak\ttab",
    "😀 maré 漢字",
    "{a,b}",
    "NULL",
    "$1 ; --",
  ]

  test.each(texts)("text comes back as it went: %j", async (text) => {
    expect(await one("select $1::text as value", [text])).toEqual({ value: text })
  })

  test.each([0, -1, 2 ** 31 - 1, 0.1, 1e-300, 1.7976931348623157e308, -0.000123])(
    "a float8 keeps every bit: %d",
    async (x) => {
      expect(await one("select $1::float8 as value", [x])).toEqual({ value: x })
    },
  )

  test("booleans and nulls stay what they are", async () => {
    expect(await one("select $1::bool as yes, $2::bool as no, $3::text as nothing", [true, false, null])).toEqual({
      yes: true,
      no: false,
      nothing: null,
    })
  })

  test("arrays of text keep nulls, empty strings, the word NULL and every special character", async () => {
    const list = [...texts, null]
    expect(await one("select $1::text[] as value, $2::text[] as empty", [list, []])).toEqual({ value: list, empty: [] })
  })

  test("arrays of numbers come back as numbers", async () => {
    const list = [0.1, -2, 1e-7, 3e20]
    expect(await one("select $1::float8[] as floats, $2::int4[] as ints", [list, [1, -2]])).toEqual({
      floats: list,
      ints: [1, -2],
    })
  })

  test("an array can be spread into rows, the way rows are inserted in bulk", async () => {
    const [rows] = await database.batch({ tenant: "a" }, [
      {
        text: "select * from unnest($1::text[], $2::float8[]) as t(name, weight)",
        values: [
          ["x", "y"],
          [1.5, 2.5],
        ],
      },
    ])
    expect(rows).toEqual([
      { name: "x", weight: 1.5 },
      { name: "y", weight: 2.5 },
    ])
  })

  test("JSON goes in as text and comes back parsed", async () => {
    const value = { "it's": ['"', "\\", "😀", null, 1.5, { deep: true }] }
    expect(await one("select $1::jsonb as value, $2::jsonb as nothing", [JSON.stringify(value), null])).toEqual({
      value,
      nothing: null,
    })
  })

  test("int8, numeric, times and vectors come as the text PostgreSQL writes", async () => {
    const sql = `select 9007199254740993::int8 as big, 1.10::numeric as exact, count(*) as count,
                        date '2024-02-29' as day, '[1,2.5]'::halfvec as vector from (values (1)) v`
    expect(await one(sql)).toEqual({
      big: "9007199254740993",
      exact: "1.10",
      count: "1",
      day: "2024-02-29",
      vector: "[1,2.5]",
    })
  })

  test("a megabyte of text arrives whole", async () => {
    expect(await one("select length($1::text) as length, md5($1::text) as md5", ["ñ".repeat(500_000)])).toMatchObject({
      length: 500_000,
    })
  })
})

describe("units of work", () => {
  test("a batch gives one list of rows a statement, in their order, and nothing of its own", async () => {
    const lists = await database.batch({ tenant: "lists" }, [
      { text: "select 1 as n union all select 2 order by n" },
      { text: INSERT, values: [1, "x"] },
      { text: "select body from notes" },
    ])
    expect(lists).toEqual([[{ n: 1 }, { n: 2 }], [], [{ body: "x" }]])
  })

  test("an empty batch is allowed", async () => {
    expect(await database.batch({ tenant: "a" }, [])).toEqual([])
  })

  test("a batch keeps nothing when one of its statements fails", async () => {
    const failing = database.batch({ tenant: "atomic" }, [
      { text: INSERT, values: [1, "x"] },
      { text: INSERT, values: [1, "y"] },
    ])
    await expect(failing).rejects.toMatchObject({ sqlState: "23505", constraint: "notes_pkey", table: "notes" })
    expect(await bodies("atomic")).toEqual([])
  })

  test("a transaction is kept when its work resolves", async () => {
    const result = await database.transaction({ tenant: "kept" }, async (transaction) => {
      await transaction.query(INSERT, [1, "x"])
      return (await transaction.query<{ n: string }>("select count(*) as n from notes"))[0]?.n
    })
    expect([result, await bodies("kept")]).toEqual(["1", ["x"]])
  })

  test("a transaction keeps nothing when its work throws, and hands the same error on", async () => {
    const error = new Error("the work's own")
    const failing = database.transaction({ tenant: "thrown" }, async (transaction) => {
      await transaction.query(INSERT, [1, "x"])
      throw error
    })
    await expect(failing).rejects.toBe(error)
    expect(await bodies("thrown")).toEqual([])
  })

  test("a transaction that swallowed a failed statement rejects: what came before it is not kept", async () => {
    const failing = database.transaction({ tenant: "swallowed" }, async (transaction) => {
      await transaction.query(INSERT, [1, "x"])
      await transaction.query("select 1/0").catch(() => undefined)
    })
    await expect(failing).rejects.toMatchObject({ sqlState: "25P02" })
    expect(await bodies("swallowed")).toEqual([])
  })

  test("a transaction refuses statements after its end", async () => {
    const late = await database.transaction({ tenant: "a" }, (transaction) => Promise.resolve(transaction))
    await expect(late.query("select 1")).rejects.toThrow("after its transaction had ended")
  })

  test("an error names the fault and never the values", async () => {
    const error = await one("select $1::int as n", ["secret content"]).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StatementError)
    expect(error).toMatchObject({ sqlState: "22P02" })
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error)).not.toContain("secret content")
  })
})

describe("scope", () => {
  test("a unit of work runs as the powerless role, in its tenant", async () => {
    expect(await one(WHO, [], "o'hara \\ 😀")).toEqual({ role: "concordance_app", tenant: "o'hara \\ 😀", key: "" })
  })

  test("the scope of a key sets no tenant, and the other way around", async () => {
    const [rows] = await database.batch({ apiKeyHash: "h" }, [{ text: WHO }])
    expect(rows).toEqual([{ role: "concordance_app", tenant: "", key: "h" }])
    expect(await database.transaction({ tenant: "t" }, (transaction) => transaction.query(WHO))).toEqual([
      { role: "concordance_app", tenant: "t", key: "" },
    ])
  })

  test("one tenant neither sees nor writes another's rows", async () => {
    await database.batch({ tenant: "first" }, [{ text: INSERT, values: [1, "first's"] }])
    expect(await bodies("second")).toEqual([])
    const theft = database.batch({ tenant: "second" }, [{ text: "insert into notes values ('first', 2, 'x')" }])
    await expect(theft).rejects.toMatchObject({ sqlState: "42501" })
  })

  test("an empty tenant sees nothing", async () => {
    await database.batch({ tenant: "somebody" }, [{ text: INSERT, values: [1, "x"] }])
    expect(await bodies("")).toEqual([])
  })

  test("nothing of a unit of work stays for the next: not after success, an error, nor a rollback", async () => {
    const endings = [
      () => database.batch({ tenant: "old" }, [{ text: "select 1" }], { timeoutMs: 5_000 }),
      () => database.batch({ tenant: "old" }, [{ text: "select 1/0" }]),
      () => database.transaction({ apiKeyHash: "old" }, () => Promise.reject(new Error("no"))),
    ]
    for (const end of endings) {
      await end().catch(() => undefined)
      const [rows] = await database.batch({ tenant: "" }, [
        { text: `${WHO}, current_setting('statement_timeout') as timeout` },
      ])
      expect(rows).toEqual([{ role: "concordance_app", tenant: "", key: "", timeout: "0" }])
    }
  })

  test("units of many tenants side by side each see their own", async () => {
    const tenants = Array.from({ length: 60 }, (_, index) => `tenant ${index % 7}`)
    const seen = await Promise.all(
      tenants.map(async (tenant, index) => {
        if (index % 3 === 0)
          await database.transaction({ tenant }, () => Promise.reject(new Error("no"))).catch(() => undefined)
        return (await one(WHO, [], tenant))["tenant"]
      }),
    )
    expect(seen).toEqual(tenants)
  })

  test("a temporary table cannot stand in front of one of ours", async () => {
    await database.batch({ tenant: "shadow" }, [{ text: INSERT, values: [1, "ours"] }])
    const [, rows] = await database.batch({ tenant: "shadow" }, [
      { text: "create temporary table notes on commit drop as select 'theirs' as body" },
      { text: "select body from notes" },
    ])
    expect(rows).toEqual([{ body: "ours" }])
  })

  test("a unit of work cannot become the owner's equal by what it may do as the role", async () => {
    await expect(one("create table concordance.mine (x int)")).rejects.toMatchObject({ sqlState: "42501" })
    await expect(one("alter table notes disable row level security")).rejects.toMatchObject({ sqlState: "42501" })
  })
})

describe("the owner", () => {
  test("sees every tenant, and leaves no power behind, even when its work throws inside a transaction", async () => {
    await database.batch({ tenant: "owned" }, [{ text: INSERT, values: [1, "x"] }])
    const failing = db.owner.session(async (session) => {
      expect(await session.query("select body from notes where source_account_id = 'owned'")).toEqual([{ body: "x" }])
      await session.query("set app.source_account_id = 'owned'")
      await session.query("begin")
      throw new Error("killed in the middle")
    })
    await expect(failing).rejects.toThrow("killed in the middle")
    expect(await one(WHO, [], "")).toEqual({ role: "concordance_app", tenant: "", key: "" })
    expect(await bodies("")).toEqual([])
  })

  test("keeps a transaction whole, or drops it whole", async () => {
    await db.owner.session(async (session) => {
      const insert = (id: number) => session.query("insert into notes values ('whole', $1, 'x')", [id])
      await session.transaction(() => insert(1))
      await session.transaction(() => insert(2).then(() => insert(1))).catch(() => undefined)
      expect(await session.query("select id from notes where source_account_id = 'whole'")).toEqual([{ id: 1 }])
    })
  })
})

describe("failures", () => {
  test("ping resolves while the database answers, and rejects as unavailable after close", async () => {
    const other = await openTestDatabase()
    await other.database.ping()
    await other.close()
    if (database.driver !== "neon") {
      await expect(other.database.ping()).rejects.toMatchObject({ code: "database_unavailable" })
    }
  })

  test.runIf(testServerUrl())(
    "a statement that takes too long is cancelled by the server: deadline_exceeded",
    async () => {
      const slow = database.batch({ tenant: "a" }, [{ text: "select pg_sleep(10)" }], { timeoutMs: 100 })
      await expect(slow).rejects.toMatchObject({ code: "deadline_exceeded" })
      const within = database.transaction({ tenant: "a" }, (transaction) => transaction.query("select pg_sleep(10)"), {
        timeoutMs: 100,
      })
      await expect(within).rejects.toMatchObject({ code: "deadline_exceeded" })
    },
  )

  test.runIf(testServerUrl())(
    "a connection lost in the middle is database_unavailable, and the next unit works",
    async () => {
      const cut = database.transaction({ tenant: "cut" }, async (transaction) => {
        const [row] = await transaction.query<{ pid: number }>("select pg_backend_pid() as pid")
        await asSuperuser("postgres", (admin) => admin.query("select pg_terminate_backend($1)", [row?.pid]))
        await transaction.query("select 1")
      })
      await expect(cut).rejects.toMatchObject({ code: "database_unavailable" })
      expect(await one(WHO)).toMatchObject({ tenant: "a" })
    },
  )

  test.runIf(testServerUrl())("connections lost while they rest do not end the process", async () => {
    // Of this database alone: other tests run on the same server.
    const [row] = await db.owner.session((session) => session.query("select current_database()::text as name"))
    await asSuperuser("postgres", (admin) =>
      admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'concordance_login' and datname = $1",
        [row?.["name"]],
      ),
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await database.transaction({ tenant: "a" }, (transaction) => transaction.query("select 1 as n"))).toEqual([
      { n: 1 },
    ])
  })

  test("a server that cannot be reached is database_unavailable, and the password stays secret", async () => {
    const url = "postgres://someone:hunter2@127.0.0.1:1/nowhere"
    const { database: nowhere, owner } = await openDatabase({ url, home: "unused", driver: "pg" })
    const attempts = [
      nowhere.ping(),
      nowhere.batch({ tenant: "a" }, []),
      nowhere.transaction({ tenant: "a" }, () => Promise.resolve()),
      owner.session(() => Promise.resolve()),
    ]
    for (const outcome of await Promise.allSettled(attempts)) {
      const error = outcome.status === "rejected" ? outcome.reason : outcome
      expect(error).toMatchObject({ code: "database_unavailable" })
      const { message, cause } = error as AppError
      expect(`${message} ${String(cause)}`).not.toContain("hunter2")
      expect(String(cause)).toContain("127.0.0.1:1/nowhere")
    }
    await nowhere.close()
  })
})

test.runIf(testServerUrl())("four transactions are open at the same time", async () => {
  let arrived = 0
  let openGate = () => {}
  const gate = new Promise<void>((resolve) => {
    openGate = resolve
  })
  const work = (id: number) =>
    database.transaction({ tenant: "four" }, async (transaction) => {
      await transaction.query(INSERT, [id, "x"])
      if (++arrived === 4) openGate()
      await gate // nobody passes before all four are inside
    })
  await Promise.all([1, 2, 3, 4].map(work))
  expect(await bodies("four")).toEqual(["x", "x", "x", "x"])
})

test.runIf(!testServerUrl())("a unit of work inside another one is refused, for it would wait for itself", async () => {
  const nested = database.transaction({ tenant: "a" }, () => database.ping())
  await expect(nested).rejects.toThrow("inside another one")
  await database.ping()
})
