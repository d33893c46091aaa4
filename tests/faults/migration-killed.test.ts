import { execFile } from "node:child_process"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { MIGRATIONS_FOLDER, readMigrations } from "../../lib/database/migrate.ts"
import { openPglite } from "../../lib/database/pglite.ts"
import { openCluster, whyNoCluster } from "./private-cluster.ts"
import { removeFolder } from "./server-process.ts"

const PROCESS = fileURLToPath(new URL("./migrating-process.ts", import.meta.url))
const reason = whyNoCluster()
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

interface Ended {
  readonly signal: string | null
  readonly applied: string[]
}

function migrateIn(place: string, survived: number | "never"): Promise<Ended> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ["--import", "tsx", PROCESS, place, String(survived)], (error, out, err) => {
      if (error && error.signal !== "SIGKILL") return reject(new Error(err))
      resolve({ signal: error?.signal ?? null, applied: error ? [] : (JSON.parse(out) as string[]) })
    })
  })
}

const RECORDED = "select name from concordance.schema_migrations order by name"
/** The whole shape: tables, columns, functions. */
const SHAPE = `
  select table_name || '.' || column_name || ' ' || data_type as part from information_schema.columns where table_schema = 'concordance'
  union all select p.oid::regprocedure::text || ' ' || md5(p.prosrc) from pg_proc p where pronamespace = 'concordance'::regnamespace
  union all select indexdef from pg_indexes where schemaname = 'concordance' order by 1`

describe.skipIf(reason !== null)(`a migration that is killed ${reason ?? ""}`, () => {
  test("in each of them, is done again by the next start; two starts at once apply each once; the shape is that of an undisturbed one", {
    // A start for each migration: a second on a quiet machine, twelve on one that eight share.
    timeout: 900_000,
  }, async () => {
    const cluster = await openCluster()
    closing.push(() => cluster.remove())
    const names = (await readMigrations(MIGRATIONS_FOLDER)).map(({ name }) => name)
    await cluster.query("create database undisturbed")
    await cluster.query("create database killed")
    const urlOf = (name: string) => cluster.url.replace(/postgres$/, name)
    expect((await migrateIn(urlOf("undisturbed"), "never")).applied).toEqual(names)
    // Each start finishes what the one before it was killed in, and is killed in the next; the first script makes the list of migrations.
    let starts = 0
    for (; starts < names.length; starts++) {
      expect((await migrateIn(urlOf("killed"), 1)).signal).toBe("SIGKILL")
    }
    const both = await Promise.all([migrateIn(urlOf("killed"), "never"), migrateIn(urlOf("killed"), "never")])
    expect(both.map(({ signal }) => signal)).toEqual([null, null])
    const { default: pg } = await import("pg")
    const ask = async (name: string, text: string) => {
      const client = new pg.Client({ connectionString: urlOf(name) })
      await client.connect()
      const { rows } = await client.query(text)
      await client.end()
      return rows
    }
    expect(await ask("killed", RECORDED)).toEqual(names.map((name) => ({ name })))
    expect(await ask("killed", SHAPE)).toEqual(await ask("undisturbed", SHAPE))
  })
})

test("a first start of the embedded database that is killed in the midst of its migrations is finished by the next", async () => {
  const home = await mkdtemp(join(tmpdir(), "concordance-migrating-"))
  closing.push(() => removeFolder(home))
  const names = (await readMigrations(MIGRATIONS_FOLDER)).map(({ name }) => name)
  expect((await migrateIn(home, 4)).signal).toBe("SIGKILL")
  expect((await migrateIn(home, 9)).signal).toBe("SIGKILL")
  expect((await migrateIn(home, "never")).signal).toBe(null)
  const { database, owner } = await openPglite({ home })
  expect(await owner.session((session) => session.query(RECORDED))).toEqual(names.map((name) => ({ name })))
  await database.close()
})
