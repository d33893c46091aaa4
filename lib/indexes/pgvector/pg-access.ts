import pg from "pg"
import type { Row, SqlValue } from "../../database/database.ts"
import { addressOf, databaseFailure, StatementError } from "../../database/statement-error.ts"
import { fromWire, toWire } from "../../database/wire-values.ts"
import type { AppError } from "../../errors.ts"
import { indexUnavailable } from "../index-failure.ts"

/** Runs one statement of an open transaction. */
export type RunSql = (text: string, values?: readonly SqlValue[]) => Promise<Row[]>

/** A foreign PostgreSQL: no schema, no roles and no scopes of ours. */
export interface PgAccess {
  /** `host:port/name`, without credentials. */
  readonly address: string
  /** Hands `work` one transaction, committed when it resolves. */
  transaction<T>(
    work: (run: RunSql) => Promise<T>,
    signal: AbortSignal,
    options?: { readonly write?: boolean },
  ): Promise<T>
  close(): Promise<void>
}

/** How long a connection may take to come up, and a statement where nobody waits for it any more, ms. */
const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 60_000
const CONNECTIONS_MAX = 5

const types = { getTypeParser: (oid: number) => (text: string) => fromWire(oid, text) } as pg.CustomTypesConfig

/** Any PostgreSQL over TCP, by node-postgres. Whoever's signal aborts gives the connection up, and with it the statement. */
export function openPgAccess(url: string): PgAccess {
  const address = addressOf(url)
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "concordance",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    max: CONNECTIONS_MAX,
    types,
  })
  // A connection that breaks makes its statements fail; its event besides would end the process unheard.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => client.on("error", () => undefined))
  return {
    address,
    async transaction(work, signal, { write = false } = {}) {
      const failed = (error: unknown): never => {
        throw pgFailure(error, address)
      }
      signal.throwIfAborted()
      const client = await pool.connect().catch(failed)
      if (signal.aborted) client.release()
      signal.throwIfAborted()
      let isBroken = true
      const giveUp = () => client.release(true)
      signal.addEventListener("abort", giveUp, { once: true })
      try {
        const run: RunSql = async (text, values = []) =>
          (await client.query(text, values.map(toWire)).catch(failed)).rows
        await run(write ? "begin" : "begin read only")
        const result = await work(run)
        await run("commit")
        isBroken = false
        return result
      } finally {
        signal.removeEventListener("abort", giveUp)
        if (!signal.aborted) client.release(isBroken)
      }
    },
    close: () => pool.end(),
  }
}

/** What a driver threw, as an index's failure; a statement that PostgreSQL refused stays one. */
export function pgFailure(error: unknown, address: string): AppError | StatementError {
  const failure = databaseFailure(error, address)
  if (failure instanceof StatementError || failure.code !== "database_unavailable") return failure
  const { message, cause } = failure
  return indexUnavailable(
    `PostgreSQL at ${address}`,
    `can't be used: ${message.replace("in its URL", "in PGVECTOR_URL")}`,
    cause,
  )
}
