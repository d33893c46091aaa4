import { createHash, randomUUID } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Database, OwnerDatabase } from "../lib/database/database.ts"
import { MIGRATIONS_FOLDER, migrate, readMigrations } from "../lib/database/migrate.ts"
import { openTestServer, testServerUrl } from "./postgres-server.ts"

/** A migrated database of its own for one test or one file of tests. */
export interface TestDatabase {
  readonly database: Database
  readonly owner: OwnerDatabase
  /** Where it stands on a server: for the service, and for its owner. */
  readonly urls?: { readonly login: string; readonly owner: string }
  /** Closes both faces, and drops the database where it stands on a server. */
  close(): Promise<void>
}

const CACHE = fileURLToPath(new URL("../node_modules/.cache/concordance/", import.meta.url))

/**
 * A fresh migrated database that nobody else uses. PGlite in memory, from a dump that is made once for each state of the
 * migrations (1.3 s instead of 8); with `CONCORDANCE_TEST_DATABASE_URL`, a copy of a migrated template on that server.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  return openPrepared(await migrationsVersion(), (owner) => migrate(owner, MIGRATIONS_FOLDER))
}

/** A migrated embedded database as `loadDataDir` takes it. */
export async function migratedDump(): Promise<Blob> {
  return preparedDump(await migrationsVersion(), (owner) => migrate(owner, MIGRATIONS_FOLDER))
}

/** The same before any migration: what a first start finds. */
export async function openEmptyDatabase(): Promise<TestDatabase> {
  return openPrepared("empty", () => Promise.resolve())
}

async function openPrepared(version: string, prepare: (owner: OwnerDatabase) => Promise<unknown>) {
  if (testServerUrl()) return openTestServer(version, prepare)
  const { openPglite } = await import("../lib/database/pglite.ts")
  const { database, owner } = await openPglite({ home: "memory://", loadDataDir: await preparedDump(version, prepare) })
  return { database, owner, close: () => database.close() }
}

async function migrationsVersion(): Promise<string> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  return hash(JSON.stringify(migrations.map(({ name, sha256 }) => [name, sha256])))
}

function hash(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12)
}

/** Two workers that find no dump both make one; the rename keeps either whole. */
async function preparedDump(version: string, prepare: (owner: OwnerDatabase) => Promise<unknown>): Promise<Blob> {
  const pglite = await readFile(new URL("../node_modules/@electric-sql/pglite/package.json", import.meta.url))
  const path = join(CACHE, `pglite-${hash(pglite)}-${version}.tar`)
  const cached = await readFile(path).catch(() => undefined)
  if (cached) return new Blob([cached])
  const { openPglite } = await import("../lib/database/pglite.ts")
  const { database, owner, dump } = await openPglite({ home: "memory://" })
  await prepare(owner)
  const made = await dump()
  await database.close()
  await mkdir(CACHE, { recursive: true })
  const unfinished = `${path}.${randomUUID()}`
  await writeFile(unfinished, Buffer.from(await made.arrayBuffer()))
  await rename(unfinished, path)
  return made
}
