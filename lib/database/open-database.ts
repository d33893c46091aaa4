import { AppError } from "../errors.ts"
import type { Database, OwnerDatabase } from "./database.ts"

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
  const { url, ownerUrl = url, home } = options
  if (url === undefined || ownerUrl === undefined) {
    if (ownerUrl !== undefined) throw invalidUrl("MIGRATION_DATABASE_URL needs DATABASE_URL beside it.")
    const { openPglite } = await import("./pglite.ts")
    return openPglite({ home })
  }
  const driver = options.driver ?? driverOf(url)
  const limits = options.connectionsMax === undefined ? {} : { connectionsMax: options.connectionsMax }
  requirePostgresUrl(url)
  requirePostgresUrl(ownerUrl)
  if (driver === "neon") {
    const { createNeonDatabase, createNeonOwner } = await import("./neon.ts")
    return { database: createNeonDatabase({ url, ...limits }), owner: createNeonOwner({ url: ownerUrl }) }
  }
  const { createPgDatabase, createPgOwner } = await import("./pg.ts")
  return { database: createPgDatabase({ url, ...limits }), owner: createPgOwner({ url: ownerUrl }) }
}

/** The driver for a connection URL, by its host. */
export function driverOf(url: string): Exclude<DriverName, "pglite"> {
  return URL.canParse(url) && new URL(url).hostname.endsWith(".neon.tech") ? "neon" : "pg"
}

function requirePostgresUrl(url: string): void {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return
  throw invalidUrl(
    "A database URL must look like postgres://user:password@host:5432/name, special characters percent-encoded.",
  )
}

function invalidUrl(message: string): AppError {
  return new AppError("invalid_configuration", message)
}
