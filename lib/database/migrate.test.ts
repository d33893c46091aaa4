import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { openEmptyDatabase, type TestDatabase } from "../../tests/database.ts"
import { testServerUrl } from "../../tests/postgres-server.ts"
import { MIGRATIONS_FOLDER, migrate, readMigrations } from "./migrate.ts"

let db: TestDatabase
let folder: string

beforeAll(async () => {
  db = await openEmptyDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "migrations-"))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
  await db.owner.session((session) => session.script("drop schema if exists concordance cascade"))
})

const put = (name: string, sql: string) => writeFile(join(folder, name), sql)
const query = (text: string) => db.owner.session((session) => session.query(text))
const recorded = async () =>
  (await query("select name from concordance.schema_migrations order by name")).map(({ name }) => name)

test("migrations apply once, in the order of their numbers, and are recorded", async () => {
  await put(
    "0002_add_column.sql",
    "alter table concordance.things add column size int; insert into concordance.things values (1, 2)",
  )
  await put("0001_create_things.sql", "create table concordance.things (id int)")
  await put("notes.txt", "not a migration")
  expect(await migrate(db.owner, folder)).toEqual(["0001_create_things.sql", "0002_add_column.sql"])
  expect(await migrate(db.owner, folder)).toEqual([])
  expect(await query("select * from concordance.things")).toEqual([{ id: 1, size: 2 }])
  expect(await recorded()).toEqual(["0001_create_things.sql", "0002_add_column.sql"])
})

test("a migration that fails leaves nothing, names its line, and those before it stay", async () => {
  await put("0001_create_things.sql", "create table concordance.things (id int)")
  await put("0002_break.sql", "create table concordance.half (id int);\n\nselect * from concordance.nothing")
  await expect(migrate(db.owner, folder)).rejects.toThrow(
    /0002_break\.sql failed near line 3: relation .* does not exist/,
  )
  expect(await recorded()).toEqual(["0001_create_things.sql"])
  expect(await query("select to_regclass('concordance.half')::text as half")).toEqual([{ half: null }])
})

test("a file that cannot run in a transaction runs outside one, statement by statement", async () => {
  await put("0001_create_things.sql", "create table concordance.things (id int)")
  await put(
    "0002_index_things.sql",
    "-- no-transaction\ndrop index concurrently if exists concordance.things_id; -- a leftover;\ncreate index concurrently things_id on concordance.things (id);",
  )
  await migrate(db.owner, folder)
  expect(await query("select indexname from pg_indexes where tablename = 'things'")).toEqual([
    { indexname: "things_id" },
  ])
})

test("a failed file outside a transaction is not recorded and runs again", async () => {
  await put(
    "0001_fill.sql",
    "-- no-transaction\ncreate table if not exists concordance.things (id int);\nselect wrong;",
  )
  await expect(migrate(db.owner, folder)).rejects.toThrow(/0001_fill\.sql failed.*runs again/)
  await put("0001_fill.sql", "-- no-transaction\ncreate table if not exists concordance.things (id int);\nselect 1;")
  expect(await migrate(db.owner, folder)).toEqual(["0001_fill.sql"])
})

test("a file that was changed after it was applied stops the start and says what to do", async () => {
  await put("0001_create_things.sql", "create table concordance.things (id int)")
  await migrate(db.owner, folder)
  await put("0001_create_things.sql", "create table concordance.things (id bigint)")
  const error = await migrate(db.owner, folder).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: "invalid_configuration" })
  expect(String(error)).toMatch(/0001_create_things\.sql was changed.*new migration/)
})

test("line endings are not a change", async () => {
  await put("0001_create_things.sql", "create table concordance.things (\n  id int\n)")
  await migrate(db.owner, folder)
  await put("0001_create_things.sql", "create table concordance.things (\r\n  id int\r\n)")
  expect(await migrate(db.owner, folder)).toEqual([])
})

test("a database newer than the code is refused", async () => {
  await put("0001_create_things.sql", "create table concordance.things (id int)")
  await migrate(db.owner, folder)
  await rm(join(folder, "0001_create_things.sql"))
  await expect(migrate(db.owner, folder)).rejects.toThrow(/newer than this version.*0001_create_things\.sql/)
})

test("names out of form and numbers used twice are refused before anything runs", async () => {
  await put("1_short.sql", "select 1")
  await expect(readMigrations(folder)).rejects.toThrow("1_short.sql is not named like")
  await rm(join(folder, "1_short.sql"))
  await put("0001_a.sql", "select 1")
  await put("0001_b.sql", "select 1")
  await expect(readMigrations(folder)).rejects.toThrow("0001_a.sql and 0001_b.sql share a number")
})

test("starts that come at once apply each migration once", async () => {
  await put("0001_create_things.sql", "select pg_sleep(0.3); create table concordance.things (id int)")
  await put("0002_fill_things.sql", "insert into concordance.things values (1)")
  const applied = await Promise.all([1, 2, 3].map(() => migrate(db.owner, folder)))
  expect(applied.flat().sort()).toEqual(["0001_create_things.sql", "0002_fill_things.sql"])
  expect(await query("select * from concordance.things")).toEqual([{ id: 1 }])
})

test.runIf(testServerUrl())("a start that waits does not hold up a concurrent index build", async () => {
  await put(
    "0001_create_things.sql",
    "create table concordance.things as select i as id from generate_series(1, 1000) i",
  )
  await put(
    "0002_index_things.sql",
    "-- no-transaction\nselect pg_sleep(0.5);\ncreate index concurrently things_id on concordance.things (id);",
  )
  const applied = await Promise.all([1, 2].map(() => migrate(db.owner, folder)))
  expect(applied.flat()).toHaveLength(2)
})

test("the product's own migrations apply to an empty database, by an owner who is no superuser, and a second run changes nothing", async () => {
  expect(await migrate(db.owner, MIGRATIONS_FOLDER)).not.toEqual([])
  expect(await migrate(db.owner, MIGRATIONS_FOLDER)).toEqual([])
  if (testServerUrl())
    expect(await query("select rolsuper from pg_roles where rolname = current_user")).toEqual([{ rolsuper: false }])
})
