import type { Database, OwnerDatabase } from "../lib/database/database.ts"
import { MIGRATIONS_FOLDER, migrate } from "../lib/database/migrate.ts"
import { migrationsVersion, preparedDump } from "./migrated-dump.ts"
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

/**
 * A fresh migrated database that nobody else uses. PGlite in memory, from a dump that is made once for each state of the
 * migrations (1.3 s instead of 8); with `CONCORDANCE_TEST_DATABASE_URL`, a copy of a migrated template on that server.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  return openPrepared(await migrationsVersion(), (owner) => migrate(owner, MIGRATIONS_FOLDER))
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
