import pg from "pg"
import { measure } from "../activity.ts"
import { withinMs } from "../deadline.ts"
import { AppError } from "../errors.ts"
import { askAgain } from "./ask-again.ts"
import type { Database, OwnerDatabase, SqlValue, Statement, UnitOptions } from "./database.ts"
import { scopeStatement } from "./scope.ts"
import { type Connection, openOwnerSession, runTransaction } from "./session.ts"
import { addressOf, databaseFailure, noAnswer, SILENT_MS_MAX } from "./statement-error.ts"
import { fromWire, toWire } from "./wire-values.ts"

export interface PgOptions {
  readonly url: string
  /** Most connections held at once; 10 by default. */
  readonly connectionsMax?: number
}

/** Of `db.client.connection.count`. */
const IN_USE = { "db.client.connection.state": "used" }
/** How long a unit of work waits for a connection, ms. */
const CONNECT_TIMEOUT_MS = 5_000
/** How much longer than the server's own timeout a client waits before it gives the connection up, ms. */
const GRACE_MS = 1_000

const types = { getTypeParser: (oid: number) => (text: string) => fromWire(oid, text) } as pg.CustomTypesConfig

function clientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: "concordance",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    // Statements leave as they are handed over, so BEGIN, scope, statements and COMMIT share one round trip.
    pipeline: true,
    types,
  }
}

/**
 * Any PostgreSQL over TCP, by node-postgres. A batch costs one round trip, a transaction one more than its statements.
 *
 * @throws AppError `database_unavailable`, `deadline_exceeded`; StatementError
 */
export function createPgDatabase({ url, connectionsMax = 10 }: PgOptions): Database {
  const address = addressOf(url)
  const limits = { max: connectionsMax, idleTimeoutMillis: 30_000, query_timeout: SILENT_MS_MAX }
  const pool = new pg.Pool({ ...clientConfig(url), ...limits })
  ignoreLostConnections(pool)

  async function withClient<T>(waitMs: number | undefined, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const from = performance.now()
    const client = await takeClient(pool, address, waitMs).catch((error: unknown) => {
      throw databaseFailure(error, address)
    })
    measure("db.client.connection.wait_time", (performance.now() - from) / 1_000)
    measure("db.client.connection.count", 1, IN_USE)
    let isSilent = false
    const giveUp = () => {
      isSilent = true
      return noAnswer(address)
    }
    try {
      const unit = work(client)
      return await (waitMs === undefined ? unit : withinMs(unit, waitMs - (performance.now() - from), giveUp))
    } catch (error) {
      // A statement's own timer may be first, and its connection is no better then.
      isSilent ||= error instanceof AppError && error.code === "database_unavailable"
      throw error
    } finally {
      measure("db.client.connection.count", -1, IN_USE)
      // Only a connection that answers, and stands outside any transaction, goes back: nobody can inherit a scope.
      client.release(isSilent || client.getTransactionStatus() !== "I")
    }
  }

  return {
    driver: "pg",
    batch: (scope, statements, options) =>
      withClient(waitOf(options), async (client) => {
        const waitMs = waitOf(options)
        const send = (statement: Statement) => client.query(queryConfig(statement.text, statement.values, waitMs))
        const sent = [{ text: "begin" }, scopeStatement(scope, options), ...statements, { text: "commit" }].map(send)
        // All of them settle before the connection goes back; after the first failure the rest fail by it.
        for (const outcome of await Promise.allSettled(sent)) {
          if (outcome.status === "rejected") throw databaseFailure(outcome.reason, address)
        }
        return (await Promise.all(sent)).slice(2, -1).map((result) => result.rows)
      }),
    transaction: (scope, work, options) =>
      withClient(waitOf(options), (client) =>
        runTransaction(connectionOf(client, address, waitOf(options)), scopeStatement(scope, options), work),
      ),
    ping: () =>
      withClient(CONNECT_TIMEOUT_MS, async (client) => {
        await connectionOf(client, address, CONNECT_TIMEOUT_MS).query("select 1")
      }),
    close: () => pool.end(),
  }
}

/** The owner's sessions over TCP: each is a connection of its own, so its locks and settings end with it. */
export function createPgOwner({ url }: PgOptions): OwnerDatabase {
  const address = addressOf(url)
  return {
    async session(work) {
      const client = new pg.Client(clientConfig(url))
      client.on("error", () => undefined)
      try {
        await client.connect().catch((error: unknown) => {
          throw databaseFailure(error, address)
        })
        return await work(await openOwnerSession(connectionOf(client, address)))
      } finally {
        await client.end().catch(() => undefined)
      }
    },
    close: () => Promise.resolve(),
  }
}

/** How long the client itself waits for a unit of work, ms. */
function waitOf({ timeoutMs }: UnitOptions = {}): number | undefined {
  return timeoutMs === undefined ? undefined : timeoutMs + GRACE_MS
}

/** A connection that comes too late goes back unused. */
async function takeClient(pool: pg.Pool, address: string, waitMs = CONNECT_TIMEOUT_MS): Promise<pg.PoolClient> {
  const taking = askAgain(() => pool.connect(), CONNECT_TIMEOUT_MS)
  let isLate = false
  const giveUp = () => {
    isLate = true
    return noAnswer(address)
  }
  taking.then(
    (client) => isLate && client.release(),
    () => undefined,
  )
  return waitMs < CONNECT_TIMEOUT_MS ? withinMs(taking, waitMs, giveUp) : taking
}

function connectionOf(client: pg.ClientBase, address: string, waitMs?: number): Connection {
  const run = (text: string, values?: readonly SqlValue[]) =>
    client.query(queryConfig(text, values, waitMs)).catch((error: unknown) => {
      throw databaseFailure(error, address)
    })
  return {
    query: (text, values) => run(text, values),
    script: async (text) => void (await run(text)),
  }
}

function queryConfig(text: string, values: readonly SqlValue[] | undefined, waitMs: number | undefined) {
  return {
    text,
    ...(values && { values: values.map(toWire) }),
    ...(waitMs !== undefined && { query_timeout: waitMs }),
  }
}

/** A connection that breaks makes its statements fail; its `error` event besides would end the process unheard. */
function ignoreLostConnections(pool: pg.Pool): void {
  pool.on("error", () => undefined)
  pool.on("connect", (client) => client.on("error", () => undefined))
}
