import { AsyncLocalStorage } from "node:async_hooks"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin"
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm"
import { unaccent } from "@electric-sql/pglite/contrib/unaccent"
import { vector } from "@electric-sql/pglite-pgvector"
import { runBeside } from "../activity.ts"
import type { Database, OwnerDatabase } from "./database.ts"
import { type DirectoryLock, lockDirectory } from "./directory-lock.ts"
import { createDiskSpace, type DiskSpace, requireRoomToOpen } from "./disk-space.ts"
import { refreshStatistics } from "./embedded-statistics.ts"
import { APP_ROLE, scopeStatement } from "./scope.ts"
import { type Connection, openOwnerSession, runTransaction } from "./session.ts"
import { databaseFailure, isReadOnlyRefusal } from "./statement-error.ts"
import { fromWire, toWire } from "./wire-values.ts"

export interface PgliteOptions {
  /** The directory that holds the data directory `database`, or `memory://`. */
  readonly home: string
  /** A dump to start from, where there is no database yet (`PGlite.dumpDataDir`). */
  readonly loadDataDir?: Blob
}

export interface EmbeddedDatabase {
  readonly database: Database
  readonly owner: OwnerDatabase
  /** The data directory as a tar, for `loadDataDir`. */
  dump(): Promise<Blob>
}

/** Units of work without a look at the statistics (a look takes 3 ms), and the rest that calls for one, ms. */
const STATISTICS_EVERY_UNITS = 100
const STATISTICS_AFTER_IDLE_MS = 1_000

/**
 * The embedded database: PostgreSQL in WebAssembly, in this process. One backend does all the work, one unit at a
 * time, and blocks the event loop while it does; it ignores `statement_timeout`, so `timeoutMs` of a batch is not kept.
 * Between units its session sits in the powerless role. Closing either face closes both.
 *
 * Where its disk is nearly full a unit may only read, and a write is `storage_full`.
 *
 * @throws AppError `conflict` when another process holds the directory; `storage_full`; `internal` for a unit inside another (it would
 *   wait for itself)
 */
export async function openPglite({ home, loadDataDir }: PgliteOptions): Promise<EmbeddedDatabase> {
  const inMemory = home === "memory://"
  const dataDir = inMemory ? home : join(home, "database")
  if (!inMemory) await mkdir(home, { recursive: true })
  const lock = inMemory ? undefined : await lockDirectory(dataDir)
  try {
    if (!inMemory) requireRoomToOpen(dataDir)
    const pglite = await start(dataDir, loadDataDir)
    const disk = createDiskSpace(inMemory ? null : dataDir)
    const connection = connectionOf(pglite, dataDir, disk)
    await dropPrivileges(connection)
    return createEmbedded(pglite, connection, { lock, disk })
  } catch (error) {
    await lock?.release()
    throw error
  }
}

interface Around {
  readonly lock: DirectoryLock | undefined
  readonly disk: DiskSpace
}

function createEmbedded(pglite: PGlite, connection: Connection, { lock, disk }: Around): EmbeddedDatabase {
  const oneAtATime = createQueue()
  const asOwner = async <T>(work: () => Promise<T>) => {
    await connection.query("reset role")
    try {
      if (disk.isLow()) await connection.query("set default_transaction_read_only = on")
      return await work()
    } finally {
      await connection.query("rollback")
      await connection.query("discard all")
      await dropPrivileges(connection)
    }
  }
  const statistics = createStatisticsSchedule(() =>
    // ANALYZE writes, and does so in a transaction that may only read as well.
    oneAtATime(async () => (disk.isLow() ? undefined : asOwner(() => refreshStatistics(connection)))),
  )
  const unit = async <T>(work: () => Promise<T>) => {
    statistics.unitStarts()
    try {
      return await oneAtATime(work)
    } finally {
      statistics.unitEnds()
    }
  }
  const closeBoth = async () => {
    statistics.stop()
    try {
      await oneAtATime(() => pglite.close())
    } finally {
      await lock?.release()
    }
  }
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= closeBoth()
    return closing
  }
  const transact: Database["transaction"] = (scope, work) =>
    unit(() => {
      const isReadOnly = disk.isLow()
      return runTransaction(connection, scopeStatement(scope, { isReadOnly }), ({ query }) =>
        work({
          async query(text, values) {
            if (!isReadOnly) disk.requireRoom()
            return query(text, values)
          },
        }),
      )
    })
  const database: Database = {
    driver: "pglite",
    batch: (scope, statements) =>
      transact(scope, async (transaction) => {
        const lists = []
        for (const { text, values } of statements) lists.push(await transaction.query(text, values))
        return lists
      }),
    transaction: transact,
    ping: () => oneAtATime(async () => void (await connection.query("select 1"))),
    close,
  }
  const owner: OwnerDatabase = {
    session: (work) => unit(() => asOwner(async () => work(await openOwnerSession(connection)))),
    close,
  }
  return { database, owner, dump: () => oneAtATime(() => pglite.dumpDataDir("none")) }
}

async function start(dataDir: string, loadDataDir: Blob | undefined): Promise<PGlite> {
  const pglite = await PGlite.create({
    dataDir,
    extensions: { vector, unaccent, btree_gin, pg_trgm },
    ...(loadDataDir && { loadDataDir }),
  })
  // Parameters are encoded and columns read as on the other drivers; PGlite's own tables know other rules.
  pglite.serializers = {}
  pglite.parsers = new Proxy({}, { get: (_, oid) => (text: string) => fromWire(Number(oid), text) })
  return pglite
}

/** Before the first migration the role does not exist, and there is nothing to protect. */
async function dropPrivileges(connection: Connection): Promise<void> {
  const { rows } = await connection.query("select 1 from pg_roles where rolname = $1", [APP_ROLE])
  if (rows.length > 0) await connection.query(`set role ${APP_ROLE}`)
}

function connectionOf(pglite: PGlite, dataDir: string, disk: DiskSpace): Connection {
  const failed = (error: unknown) => {
    const failure = databaseFailure(error, dataDir)
    throw isReadOnlyRefusal(error) ? disk.failure(failure) : failure
  }
  return {
    async query(text, values = []) {
      const { rows, command = "" } = await pglite.query<Record<string, unknown>>(text, values.map(toWire)).catch(failed)
      return { rows, command }
    },
    script: async (text) => void (await pglite.exec(text).catch(failed)),
  }
}

/** Runs one piece of work at a time, in order, and refuses work that is asked for from inside another piece. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve()
  const current = new AsyncLocalStorage<{ running: boolean }>()
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (current.getStore()?.running) {
      throw new Error(
        "a unit of work on the embedded database was started inside another one: it would wait for itself",
      )
    }
    const unit = { running: true }
    const result = last
      .then(() => current.run(unit, work))
      .finally(() => {
        unit.running = false
      })
    last = result.catch(() => undefined)
    return await result
  }
}

/** Looks at the statistics once the database rests, and now and then while it does not. */
function createStatisticsSchedule(refresh: () => Promise<void>) {
  let unitsSince = 0
  let unitsOpen = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const run = () => {
    unitsSince = 0
    // Out of date statistics make a search slow, not wrong, and the next look comes by itself.
    runBeside(refresh).catch(() => undefined)
  }
  return {
    unitStarts() {
      unitsOpen++
      clearTimeout(timer)
    },
    unitEnds() {
      unitsOpen--
      unitsSince++
      if (stopped) return
      if (unitsSince >= STATISTICS_EVERY_UNITS) run()
      else if (unitsOpen === 0) timer = setTimeout(run, STATISTICS_AFTER_IDLE_MS).unref()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
