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
  /** Closes both faces, and drops the database where it stands on a server. */
  close(): Promise<void>
}

const CACHE = fileURLToPath(new URL("../node_modules/.cache/concordance/", import.meta.url))

/**
 * A fresh migrated database that nobody else uses. PGlite in memory, from a dump that is made once for each state of the
 * migrations (1.4 s instead of 8); with `CONCORDANCE_TEST_DATABASE_URL`, a copy of a migrated template on that server.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  const version = await migrationsVersion()
  if (testServerUrl()) return openTestServer(version, (owner) => migrate(owner, MIGRATIONS_FOLDER))
  const { openPglite } = await import("../lib/database/pglite.ts")
  const { database, owner } = await openPglite({ home: "memory://", loadDataDir: await migratedDump(version) })
  return { database, owner, close: () => database.close() }
}

async function migrationsVersion(): Promise<string> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const pglite = await readFile(new URL("../node_modules/@electric-sql/pglite/package.json", import.meta.url))
  return createHash("sha256")
    .update(JSON.stringify(migrations.map(({ name, sha256 }) => [name, sha256])))
    .update(pglite)
    .digest("hex")
    .slice(0, 12)
}

/** Two workers that find no dump both make one; the rename keeps either whole. */
async function migratedDump(version: string): Promise<Blob> {
  const path = join(CACHE, `pglite-${version}.tar`)
  const cached = await readFile(path).catch(() => undefined)
  if (cached) return new Blob([cached])
  const { openPglite } = await import("../lib/database/pglite.ts")
  const { database, owner, dump } = await openPglite({ home: "memory://" })
  await migrate(owner, MIGRATIONS_FOLDER)
  const made = await dump()
  await database.close()
  await mkdir(CACHE, { recursive: true })
  const unfinished = `${path}.${randomUUID()}`
  await writeFile(unfinished, Buffer.from(await made.arrayBuffer()))
  await rename(unfinished, path)
  return made
}
