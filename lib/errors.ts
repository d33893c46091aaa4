/** Every way a request or a start can fail, by the name a caller may rely on. `functions/http/errors.ts` gives each a status. */
export type ErrorCode =
  | "invalid_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "payload_too_large"
  | "body_too_slow"
  | "unsupported_media_type"
  | "rate_limited"
  | "too_many_at_once"
  | "overloaded"
  | "deadline_exceeded"
  | "database_unavailable"
  | "inference_unavailable"
  | "index_unavailable"
  | "storage_unavailable"
  | "storage_full"
  | "document_encrypted"
  | "document_unreadable"
  | "document_unsupported"
  | "document_too_large"
  | "invalid_configuration"
  | "internal"

/** One thing that is wrong with one field of the input; `field` is a dotted path (`chunks.3.content`). */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

interface AppErrorOptions {
  readonly cause?: unknown
  /** What is wrong, field by field; shown to the caller. */
  readonly fields?: readonly FieldProblem[]
  /** After how long it is worth asking again, s: what Retry-After says. */
  readonly retryAfterS?: number
}

/**
 * An error whose `message` is written for whoever called: it may be shown to them as it is, so it never holds SQL,
 * a stack, a secret or another tenant's data. What caused it goes into `cause`, which is only logged.
 */
export class AppError extends Error {
  override readonly name = "AppError"
  readonly code: ErrorCode
  readonly fields: readonly FieldProblem[]
  readonly retryAfterS: number | null

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.fields = options.fields ?? []
    this.retryAfterS = options.retryAfterS ?? null
  }
}

/** The error of one wrong field: names it, and says what it must be. */
export function invalidField(field: string, message: string): AppError {
  return new AppError("invalid_request", `${field}: ${message}`, { fields: [{ field, message }] })
}

/** What comes of a service that is away or a disk that is full: it passes, and nothing that was asked for is at fault. */
const OUTAGES: readonly ErrorCode[] = [
  "database_unavailable",
  "inference_unavailable",
  "index_unavailable",
  "storage_unavailable",
  "storage_full",
]

/** Whether a failure may be gone a while later, with nothing changed by whoever asked. */
export const isOutage = ({ code }: { readonly code: ErrorCode }): boolean => OUTAGES.includes(code)
