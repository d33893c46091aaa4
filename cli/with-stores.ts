import { join } from "node:path"
import type { Config } from "../lib/config.ts"
import type { Database, OwnerDatabase } from "../lib/database/database.ts"
import type { Log } from "../lib/log.ts"
import type { ObjectStore } from "../lib/objects/object-store.ts"
import type { Terminal } from "./terminal.ts"

/** Database and objects of the installation. */
export interface Stores {
  readonly database: Database
  readonly owner: OwnerDatabase
  readonly objects: ObjectStore
  readonly tempFolder: string
  readonly config: Config
  readonly log: Log
}

/** Opens what the settings name, its database brought up to date; no model is loaded. */
export async function withStores<T>(terminal: Terminal, work: (stores: Stores) => Promise<T>): Promise<T> {
  const { configFromEnvironment } = await import("../functions/environment.ts")
  const { createLog } = await import("../lib/log.ts")
  const { openObjectStore } = await import("../lib/objects/open-object-store.ts")
  const { withBoth } = await import("./with-runtime.ts")
  const config = configFromEnvironment()
  const log = createLog({ level: "warn", write: (line) => terminal.note(line.trimEnd()), readable: true })
  const objects = await openObjectStore(config)
  const tempFolder = join(config.concordanceHome, "tmp")
  return withBoth((both) => work({ ...both, objects, tempFolder, config, log }))
}

/** The names of an option that is repeated. */
export const collectNames = (value: string, before: readonly string[]): string[] => [...before, value]

/** A status line that tells how far each part is. */
export function progressOf(terminal: Terminal): {
  readonly onProgress: (what: string, done: number) => void
  end(): void
} {
  const line = terminal.status()
  return { onProgress: (what, done) => line.show(`${what} ${done}`), end: () => line.end() }
}
