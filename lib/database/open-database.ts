import { AppError } from "../errors.ts"
import type { Database, OwnerDatabase } from "./database.ts"
import { observeDatabase } from "./observe-database.ts"
import { driverOf, openServer, openServerOwner } from "./open-server.ts"

export type DriverName = Database["driver"]

export interface OpenDatabaseOptions {
  /** `postgres://…` of the login that serves requests; without one the embedded database in `home` is opened. */
  readonly url?: string | undefined
  /** `postgres://…` of the owner, who migrates; `url` without one. */
  readonly ownerUrl?: string | undefined
  /** Where the embedded database lives; `memory://` keeps nothing. */
  readonly home: string
  /** Overrides what the host of `url` says. */
  readonly driver?: DriverName | undefined
  /** Most connections held at once (not for the embedded database). */
  readonly connectionsMax?: number | undefined
}

/** The two ways into one database. Both are to be closed. */
export interface OpenedDatabase {
  readonly database: Database
  readonly owner: OwnerDatabase
}

/**
 * Opens the database that the URL names: none is the embedded one, a host under `neon.tech` Neon, any other PostgreSQL.
 * Only the driver that is used gets loaded. A server is not spoken to before the first unit of work.
 *
 * @throws AppError `invalid_configuration` for a URL that is none; `conflict` when another process holds `home`
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenedDatabase> {
  const { url, ownerUrl = url, home, driver, connectionsMax } = options
  if (url === undefined || ownerUrl === undefined) {
    if (ownerUrl !== undefined) {
      throw new AppError("invalid_configuration", "MIGRATION_DATABASE_URL needs DATABASE_URL beside it.")
    }
    const { openPglite } = await import("./pglite.ts")
    const { database, owner } = await openPglite({ home })
    return { database: observeDatabase(database), owner }
  }
  const server = driver === "pglite" ? undefined : driver
  return {
    database: await openServer({ url, driver: server, connectionsMax }),
    owner: await openServerOwner({ url: ownerUrl, driver: server ?? driverOf(url) }),
  }
}
