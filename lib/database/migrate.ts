import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { AppError } from "../errors.ts"
import { underMigrationLock } from "./advisory-lock.ts"
import type { OwnerDatabase, OwnerSession } from "./database.ts"
import { splitStatements } from "./split-statements.ts"
import { StatementError } from "./statement-error.ts"

interface Migration {
  readonly name: string
  readonly sql: string
  readonly sha256: string
}

/** The migrations of this version of the product. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL("../../migrations", import.meta.url))

/**
 * Brings the database to the version of `folder`: applies the `NNNN_verb_object.sql` that it has not recorded yet, in
 * order, each in one transaction together with its record. A file whose first line is `-- no-transaction` runs statement
 * by statement outside one (concurrent index builds) and must be safe to run again after a crash in its middle. Starts
 * that come at once wait for each other.
 *
 * @returns the names applied now
 * @throws AppError `invalid_configuration` when an applied file was changed or the database is newer than `folder`;
 *   `internal` with the file and line when a migration fails
 */
export async function migrate(owner: OwnerDatabase, folder: string): Promise<string[]> {
  const migrations = await readMigrations(folder)
  return owner.session((session) =>
    underMigrationLock(session, async () => {
      // Not asked for where it is there: a database whose disk is full may only be read, and is served all the same.
      const [known] = await session.query("select to_regclass('concordance.schema_migrations') as name")
      if (known?.["name"] === null)
        await session.script(`
        create schema if not exists concordance;
        create table if not exists concordance.schema_migrations (
          name text primary key,
          sha256 text not null,
          applied_at timestamptz not null default now()
        )`)
      const recorded = await session.query<{ name: string; sha256: string }>(
        "select name, sha256 from concordance.schema_migrations",
      )
      const applied = new Map(recorded.map(({ name, sha256 }) => [name, sha256]))
      refuseOtherHistory(migrations, applied)
      const pending = migrations.filter(({ name }) => !applied.has(name))
      for (const migration of pending) await apply(session, migration)
      return pending.map(({ name }) => name)
    }),
  )
}

/** Reads and checks the migrations of a folder, in the order in which they apply. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort()
  for (const [index, name] of names.entries()) {
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name)) throw broken(`${name} is not named like 0001_create_documents.sql.`)
    if (names[index - 1]?.slice(0, 4) === name.slice(0, 4))
      throw broken(`${names[index - 1]} and ${name} share a number.`)
  }
  return Promise.all(
    names.map(async (name) => {
      // Git may check files out with CRLF: the same migration must keep its checksum.
      const sql = (await readFile(join(folder, name), "utf8")).replaceAll("\r\n", "\n")
      return { name, sql, sha256: createHash("sha256").update(sql).digest("hex") }
    }),
  )
}

function refuseOtherHistory(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied.keys()].filter((name) => !known.has(name)).sort()
  if (unknown.length > 0) {
    throw broken(
      `The database is newer than this version of Concordance: it has applied ${unknown.join(", ")}. Start the newer version.`,
    )
  }
  const changed = migrations.find(({ name, sha256 }) => applied.has(name) && applied.get(name) !== sha256)
  if (changed) {
    throw broken(
      `${changed.name} was changed after this database had applied it. Restore the file and put the change into a new migration.`,
    )
  }
}

async function apply(session: OwnerSession, migration: Migration): Promise<void> {
  const record = () =>
    session.query("insert into concordance.schema_migrations (name, sha256) values ($1, $2)", [
      migration.name,
      migration.sha256,
    ])
  if (/^--\s*no-transaction\s*\n/.test(migration.sql)) {
    for (const statement of splitStatements(migration.sql)) {
      await session
        .query(statement)
        .catch(failedIn(migration, "What stood before that line is kept; the file runs again at the next start."))
    }
    await record()
    return
  }
  await session.transaction(async () => {
    await session.script(migration.sql).catch(failedIn(migration, "Nothing of it was kept."))
    await record()
  })
}

function failedIn({ name, sql }: Migration, consequence: string) {
  return (error: unknown): never => {
    if (!(error instanceof StatementError)) throw error
    const line = error.position === undefined ? "" : ` near line ${sql.slice(0, error.position).split("\n").length}`
    throw new AppError("internal", `Migration ${name} failed${line}: ${error.message}. ${consequence}`, {
      cause: error,
    })
  }
}

function broken(message: string): AppError {
  return new AppError("invalid_configuration", message)
}
