import { AppError } from "../errors.ts"
import type { Database, OwnerDatabase } from "./database.ts"
import { observeDatabase } from "./observe-database.ts"

/** How a server is reached. */
export type ServerDriver = Exclude<Database["driver"], "pglite">

export interface OpenServerOptions {
  /** `postgres://…` */
  readonly url: string
  /** Overrides what the host of `url` says. */
  readonly driver?: ServerDriver | undefined
  /** Most connections held at once. */
  readonly connectionsMax?: number | undefined
}

/**
 * What serves requests from a PostgreSQL server: through Neon's driver where the host is under `neon.tech`, else through
 * node-postgres. Only the driver that is used gets loaded; the server is not spoken to before the first unit of work.
 *
 * @throws AppError `invalid_configuration` for a URL that is none
 */
export async function openServer({
  url,
  driver = driverOf(url),
  connectionsMax,
}: OpenServerOptions): Promise<Database> {
  requirePostgresUrl(url)
  const options = { url, ...(connectionsMax !== undefined && { connectionsMax }) }
  if (driver === "neon")
    return observeDatabase((await import("./neon.ts")).createNeonDatabase({ ...options, webSocket: await webSocket() }))
  return observeDatabase((await import("./pg.ts")).createPgDatabase(options))
}

/** The owner's way into the same server. Throws as `openServer` does. */
export async function openServerOwner({ url, driver = driverOf(url) }: OpenServerOptions): Promise<OwnerDatabase> {
  requirePostgresUrl(url)
  if (driver === "neon") return (await import("./neon.ts")).createNeonOwner({ url, webSocket: await webSocket() })
  return (await import("./pg.ts")).createPgOwner({ url })
}

/** The driver for a connection URL, by its host. */
export function driverOf(url: string): ServerDriver {
  return URL.canParse(url) && new URL(url).hostname.endsWith(".neon.tech") ? "neon" : "pg"
}

/** Node has one of its own from 22 on. */
async function webSocket() {
  return "WebSocket" in globalThis ? undefined : (await import("ws")).default
}

function requirePostgresUrl(url: string): void {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return
  throw new AppError(
    "invalid_configuration",
    "A database URL must look like postgres://user:password@host:5432/name, special characters percent-encoded.",
  )
}
