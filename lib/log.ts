import { currentActivity } from "./activity.ts"

/** How much a line matters, least first. */
export type LogLevel = "debug" | "info" | "warn" | "error"

/** What a line says beside its message: names, counts and times, never content, queries or secrets. */
export type LogFields = Readonly<Record<string, unknown>>

/** Where the service says what it does. */
export type Log = { readonly [Level in LogLevel]: (message: string, fields?: LogFields) => void }

interface LogOptions {
  /** Lines below it are dropped. */
  readonly level: LogLevel
  /** One line a call, its newline included. */
  readonly write: (line: string) => void
  /** Text for a person in place of JSON for a machine. */
  readonly readable?: boolean
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"]

/**
 * A log of one JSON object a line: `level`, `time` (ISO 8601), `message`, the id of the request that it is about, the span
 * where there is one, and the fields.
 */
export function createLog({ level, write, readable = false }: LogOptions): Log {
  const least = LEVELS.indexOf(level)
  const at =
    (lineLevel: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LEVELS.indexOf(lineLevel) < least) return
      const time = new Date().toISOString()
      const said = Object.entries({ ...cause(), ...fields })
      const safe = Object.fromEntries(said.map(([name, value]) => [name, loggable(value)]))
      if (readable) write(`${time.slice(11, 19)} ${lineLevel.padEnd(5)} ${message}${readableFields(safe)}\n`)
      else write(`${JSON.stringify({ level: lineLevel, time, message, ...safe })}\n`)
    }
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }
}

/** Why this line is written at all. */
function cause(): LogFields {
  const { requestId, span } = currentActivity()
  return { ...(requestId !== null && { requestId }), ...(span && { trace_id: span.traceId, span_id: span.spanId }) }
}

function readableFields(fields: LogFields): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  )
  return parts.length > 0 ? `  ${parts.join(" ")}` : ""
}

function loggable(value: unknown): unknown {
  return value instanceof Error ? describeError(value) : value
}

/** Causes deeper than this add nothing but length. */
const CAUSES_MAX = 4

/**
 * What an error may tell the log. A few repeat the data they choked on, and lose their message: PostgreSQL's data
 * exceptions (SQLSTATE class 22: `invalid input syntax for type json: "…"`) and `JSON.parse`. Fields that drivers add
 * (`detail`, `where`, `query`) hold values and are never taken.
 */
function describeError(error: Error, depth = 0): LogFields {
  const code = "code" in error && (typeof error.code === "string" || typeof error.code === "number") ? error.code : null
  const repeatsData = error instanceof SyntaxError || /^22[0-9A-Z]{3}$/.test(String(code))
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  return {
    name: error.name,
    ...(code !== null && { code }),
    message: repeatsData ? "withheld: it may repeat a caller's data" : error.message,
    ...(frames.length > 0 && { stack: frames.slice(0, 8).map((frame) => frame.trim()) }),
    ...(error.cause instanceof Error && depth < CAUSES_MAX && { cause: describeError(error.cause, depth + 1) }),
  }
}
