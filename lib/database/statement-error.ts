import { storageFull } from "../disk-full.ts"
import { AppError } from "../errors.ts"

interface StatementErrorDetails {
  /** The five characters of SQLSTATE: `23505`. */
  readonly sqlState: string
  readonly constraint?: string | undefined
  readonly table?: string | undefined
  /** Where in the statement, in characters from 1. */
  readonly position?: number | undefined
}

/**
 * A statement that PostgreSQL refused. It keeps what names the fault and drops what may hold a document's text: the
 * drivers' own errors carry parameters and offending values, and this one may be logged.
 */
export class StatementError extends Error {
  override readonly name = "StatementError"
  readonly sqlState: string
  readonly constraint: string | undefined
  readonly table: string | undefined
  readonly position: number | undefined

  constructor(message: string, details: StatementErrorDetails) {
    super(message)
    this.sqlState = details.sqlState
    this.constraint = details.constraint
    this.table = details.table
    this.position = details.position
  }
}

/** What the three drivers have in common, if it came from them at all. */
type DriverError = { readonly [field in "code" | "message" | "constraint" | "table" | "position"]?: unknown }

const TRY_AGAIN = "Try again; if it lasts, check that its server runs and can be reached from here."
const UNAVAILABLE: readonly (readonly [RegExp, string])[] = [
  [/^28/, "The database refused the login. Check the user and password in its URL."],
  [/^3D000$/, "The database server has no database of that name. Create it, or correct its URL."],
  [/^53300$/, "The database has no free connection. Raise its limit, or run fewer copies of the service."],
  [/^25006$/, "The database takes no writes: it is a standby, or was set to read only. Point its URL at the primary."],
  [/^(08...|57P0[1-5])$/, `The database closed the connection. ${TRY_AGAIN}`],
]

/**
 * What a driver threw, as the rest of the product knows it: `deadline_exceeded` when the server cancelled the
 * statement, `database_unavailable` when there is no database to speak to, `storage_full` when its disk is, else a `StatementError`.
 *
 * @param address host, port and name of the database, for the log; never credentials.
 */
export function databaseFailure(thrown: unknown, address: string): AppError | StatementError {
  if (thrown instanceof AppError || thrown instanceof StatementError) return thrown
  const error = (thrown ?? {}) as DriverError
  const code = text(error.code)
  // SQLSTATE is five of 0-9A-Z; Node's own codes (EPIPE among them) begin with E and hold no digit.
  if (code === undefined || !/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) {
    const cause = new Error(`${address}: ${code ?? text(error.message) ?? "no reason given"}`)
    return new AppError("database_unavailable", `The database does not answer. ${TRY_AGAIN}`, { cause })
  }
  const unavailable = UNAVAILABLE.find(([pattern]) => pattern.test(code))
  if (unavailable) {
    return new AppError("database_unavailable", unavailable[1], { cause: new Error(`${address}: SQLSTATE ${code}`) })
  }
  if (code === "53100") return storageFull("the database server", new Error(`${address}: SQLSTATE ${code}`))
  const refused = new StatementError(safeMessage(code, text(error.message) ?? ""), {
    sqlState: code,
    constraint: text(error.constraint),
    table: text(error.table),
    position: Number(error.position) || undefined,
  })
  if (code === "57014") {
    return new AppError("deadline_exceeded", "The database did not answer in the time allowed.", { cause: refused })
  }
  return refused
}

/** For a statement of a unit of work that has no time of its own, ms: work in the background, whose longest takes minutes. */
export const SILENT_MS_MAX = 600_000

/** `database_unavailable`, of a database that said nothing in the time that a unit of work has. `address` as above. */
export const noAnswer = (address: string): AppError | StatementError =>
  databaseFailure(new Error("no answer in the time allowed"), address)

/** Whether a driver says that a write came in a transaction that may only read. */
export function isReadOnlyRefusal(thrown: unknown): boolean {
  return (thrown as DriverError | null)?.code === "25006"
}

/** Class 22 (a value that does not fit its type) and the tsquery parser quote the value itself; the others quote names. */
function safeMessage(code: string, message: string): string {
  if (code.startsWith("22") || message.includes("in tsquery")) return `a value does not fit (SQLSTATE ${code})`
  return `${message} (SQLSTATE ${code})`
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}

/** `host:port/name` of a connection URL, without its credentials. */
export function addressOf(url: string): string {
  if (!URL.canParse(url)) return "the database"
  const { host, pathname } = new URL(url)
  return `${host || "local socket"}${pathname}`
}
