import { Client, type ClientBase, neon, neonConfig, Pool } from "@neondatabase/serverless"
import { withinMs } from "../deadline.ts"
import { askAgain } from "./ask-again.ts"
import type { Database, OwnerDatabase, Row, SqlValue, Statement } from "./database.ts"
import { scopeStatement } from "./scope.ts"
import { type Connection, openOwnerSession, runTransaction } from "./session.ts"
import { addressOf, databaseFailure, noAnswer, SILENT_MS_MAX } from "./statement-error.ts"
import { fromWire, toWire } from "./wire-values.ts"

export interface NeonOptions {
  readonly url: string
  /** Where the runtime has none of its own: Node before 22. */
  readonly webSocket?: NonNullable<typeof neonConfig.webSocketConstructor> | undefined
  /** Most WebSocket connections held at once; 4 by default: only interactive transactions use them. */
  readonly connectionsMax?: number
}

const CONNECT_TIMEOUT_MS = 5_000
/** How much longer than the server's own timeout a client waits for the answer, ms: Neon may have to wake up. */
const GRACE_MS = 5_000

const types = { getTypeParser: (oid: number) => (text: string) => fromWire(oid, text) }

/**
 * Neon: a batch is one HTTP request, a transaction runs over a pooled WebSocket (1.3 ms a statement against 1–3 ms an
 * HTTP request, but 60–190 ms to connect).
 *
 * @throws AppError `database_unavailable`, `deadline_exceeded`; StatementError
 */
export function createNeonDatabase({ url, connectionsMax = 4, webSocket }: NeonOptions): Database {
  neonConfig.webSocketConstructor = webSocket
  const address = addressOf(url)
  const http = neon(url)
  // Neon goes to sleep after minutes without work and drops what is connected: connections are let go long before.
  const limits = { max: connectionsMax, idleTimeoutMillis: 20_000, query_timeout: SILENT_MS_MAX }
  const pool = new Pool({ ...clientConfig(url), ...limits })
  pool.on("error", () => undefined)
  pool.on("connect", (client: ClientBase) => client.on("error", () => undefined))

  async function batch(statements: readonly Statement[], waitMs: number): Promise<Row[][]> {
    const queries = statements.map(({ text, values = [] }) => http.query(text, values.map(toWire), { types }))
    // What is left of a deadline is a fraction, which AbortSignal.timeout refuses.
    const fetchOptions = { signal: AbortSignal.timeout(Math.ceil(waitMs)) }
    try {
      return await askAgain(() => http.transaction(queries, { fetchOptions }), waitMs)
    } catch (error) {
      throw databaseFailure(error, address)
    }
  }

  return {
    driver: "neon",
    async batch(scope, statements, options) {
      const waitMs = (options?.timeoutMs ?? SILENT_MS_MAX) + GRACE_MS
      return (await batch([scopeStatement(scope, options), ...statements], waitMs)).slice(1)
    },
    async transaction(scope, work, options) {
      const client = await askAgain(() => pool.connect(), CONNECT_TIMEOUT_MS).catch((error: unknown) => {
        throw databaseFailure(error, address)
      })
      let clean = false
      try {
        const unit = runTransaction(connectionOf(client, address), scopeStatement(scope, options), work)
        const waitMs = (options?.timeoutMs ?? Infinity) + GRACE_MS
        // One that says nothing is given up with its connection, and what still waits on it fails by that.
        const result = await withinMs(unit, waitMs, () => noAnswer(address))
        clean = true
        return result
      } finally {
        // A connection whose transaction failed is not reused: this client cannot tell whether ROLLBACK arrived.
        client.release(!clean)
      }
    },
    ping: async () => void (await batch([{ text: "select 1" }], GRACE_MS)),
    close: () => pool.end(),
  }
}

/** The owner's sessions on Neon: a WebSocket of their own, to the database itself and never to its pooler. */
export function createNeonOwner({ url, webSocket }: NeonOptions): OwnerDatabase {
  neonConfig.webSocketConstructor = webSocket
  const address = addressOf(url)
  return {
    async session(work) {
      const client = new Client(clientConfig(withoutPooler(url)))
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

function clientConfig(connectionString: string) {
  return { connectionString, application_name: "concordance", connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
}

/** Neon's pooler (`ep-x-pooler.region.aws.neon.tech`) gives every transaction another session, and session locks fail. */
function withoutPooler(url: string): string {
  return url.replace(/-pooler(\.[^/@]*\.neon\.tech)/, "$1")
}

function connectionOf(client: ClientBase, address: string): Connection {
  const run = (text: string, values?: readonly SqlValue[]) =>
    client.query({ text, types, ...(values && { values: values.map(toWire) }) }).catch((error: unknown) => {
      throw databaseFailure(error, address)
    })
  return {
    query: (text, values) => run(text, values),
    script: async (text) => void (await run(text)),
  }
}
