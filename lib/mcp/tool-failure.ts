import type { CallToolResult } from "@modelcontextprotocol/server"
import { AppError, type ErrorCode } from "../errors.ts"
import type { Log } from "../log.ts"

/** What the operator has to mend, so that it is logged. */
const OURS: ReadonlySet<ErrorCode> = new Set([
  "internal",
  "invalid_configuration",
  "database_unavailable",
  "inference_unavailable",
  "storage_unavailable",
  "storage_full",
  "deadline_exceeded",
])

/**
 * An error as a client may see it. What nobody foresaw becomes `internal`, without its message: that may hold SQL or
 * another tenant's data.
 */
export function shownError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof Error && error.name === "TimeoutError") {
    return new AppError("deadline_exceeded", "The time allowed for this call ran out", { cause: error })
  }
  return new AppError("internal", "Something went wrong here; the server's log has the reason", { cause: error })
}

interface FailedCall {
  readonly tool: string
  readonly log: Log
  /** The client has gone, or cancelled: nothing is wrong here. */
  readonly isAbandoned: boolean
}

/** A tool's failure as a result for the model to read: `not_found: There is no document with this id`. */
export function toolFailure(thrown: unknown, { tool, log, isAbandoned }: FailedCall): CallToolResult {
  const { code, message } = shownError(thrown)
  if (OURS.has(code) && !isAbandoned) log.error("MCP tool failed", { tool, code, error: thrown })
  return { isError: true, content: [{ type: "text", text: `${code}: ${message}` }] }
}
