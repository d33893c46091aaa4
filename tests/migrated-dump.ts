import { createHash, randomUUID } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { OwnerDatabase } from "../lib/database/database.ts"
import { MIGRATIONS_FOLDER, migrate, readMigrations } from "../lib/database/migrate.ts"

const CACHE = fileURLToPath(new URL("../node_modules/.cache/concordance/", import.meta.url))

/** A migrated embedded database as `loadDataDir` takes it. */
export async function migratedDump(): Promise<Blob> {
  return preparedDump(await migrationsVersion(), (owner) => migrate(owner, MIGRATIONS_FOLDER))
}

/** Names the state of the migrations. */
export async function migrationsVersion(): Promise<string> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  return hash(JSON.stringify(migrations.map(({ name, sha256 }) => [name, sha256])))
}

function hash(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12)
}

/** An embedded database as `loadDataDir` takes it, made once. Two workers that find none both make one; the rename keeps either whole. */
export async function preparedDump(
  version: string,
  prepare: (owner: OwnerDatabase) => Promise<unknown>,
): Promise<Blob> {
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
