import type { OwnerSession, Row, SqlValue, Statement, Transaction } from "./database.ts"
import { SEARCH_PATH } from "./scope.ts"
import { StatementError } from "./statement-error.ts"

/** What one statement gave: its rows, and the tag that PostgreSQL ended it with (`SELECT`, `COMMIT`). */
export interface Outcome {
  readonly rows: Row[]
  readonly command: string
}

/** One connection of a driver. Statements run in the order in which they were handed over. */
export interface Connection {
  query(text: string, values?: readonly SqlValue[]): Promise<Outcome>
  /** Several statements, without parameters. */
  script(text: string): Promise<void>
}

/**
 * Runs `work` in one transaction on a connection: BEGIN and `first` are handed over together with the first statement
 * of `work`, so that a driver that pipelines spends no round trip of its own on them.
 *
 * @throws what `work` throws, after ROLLBACK; `StatementError` when `work` swallowed a failure and COMMIT became ROLLBACK.
 */
export async function runTransaction<T>(
  connection: Connection,
  first: Statement | undefined,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const opening = Promise.all([
    connection.query("begin"),
    first ? connection.query(first.text, first.values) : undefined,
  ])
  // Whoever awaits `opening` below gets its failure; until then it must not count as unhandled.
  opening.catch(() => undefined)
  let open = true
  const transaction: Transaction = {
    async query<R extends Row>(text: string, values?: readonly SqlValue[]) {
      // Later statements would run outside the transaction, on a connection that may serve somebody else by then.
      if (!open) throw new Error("a statement was sent after its transaction had ended")
      const [outcome] = await Promise.all([connection.query(text, values), opening])
      return outcome.rows as R[]
    },
  }
  let result: T
  try {
    result = await work(transaction)
    await opening
  } catch (error) {
    open = false
    await connection.query("rollback").catch(() => undefined)
    throw error
  }
  open = false
  const { command } = await connection.query("commit")
  if (command !== "COMMIT") {
    throw new StatementError("the transaction was rolled back: one of its statements had failed", { sqlState: "25P02" })
  }
  return result
}

/** Turns a connection of the owner into a session: our search path, scripts and transactions. */
export async function openOwnerSession(connection: Connection): Promise<OwnerSession> {
  await connection.query(`set search_path = ${SEARCH_PATH}`)
  return {
    async query<R extends Row>(text: string, values?: readonly SqlValue[]) {
      return (await connection.query(text, values)).rows as R[]
    },
    script: (text) => connection.script(text),
    transaction: (work) => runTransaction(connection, undefined, () => work()),
  }
}
