import type { Context, ErrorHandler, Hono, NotFoundHandler } from "hono"
import { HTTPException } from "hono/http-exception"
import * as z from "zod"
import { AppError, type ErrorCode } from "../../lib/errors.ts"
import type { Log } from "../../lib/log.ts"
import type { Edge } from "./edge.ts"

const STATUSES = {
  invalid_request: [400, "The request is invalid"],
  unauthorized: [401, "An API key is needed"],
  forbidden: [403, "This is not allowed"],
  not_found: [404, "There is no such thing"],
  method_not_allowed: [405, "The method does not fit the resource"],
  conflict: [409, "The request conflicts with what is stored"],
  payload_too_large: [413, "The body is too large"],
  unsupported_media_type: [415, "The body has the wrong type"],
  document_too_large: [413, "The file is too large"],
  document_unsupported: [415, "The file is of a kind that can't be read here"],
  document_encrypted: [422, "The file needs a password"],
  document_unreadable: [422, "The file can't be read"],
  rate_limited: [429, "Too many requests"],
  internal: [500, "Something went wrong here"],
  invalid_configuration: [500, "The service is not configured right"],
  database_unavailable: [503, "The database does not answer"],
  inference_unavailable: [503, "The model does not answer"],
  index_unavailable: [503, "The vector index does not answer"],
  storage_unavailable: [503, "The object store does not answer"],
  deadline_exceeded: [504, "The answer took too long"],
} as const satisfies Record<ErrorCode, readonly [status: number, title: string]>

/** When to ask a service again that didn't answer, s. */
const RETRY_AFTER_S = "5"

/** Body of every error: RFC 9457, with our `code`, the request's id and the wrong fields. */
export const Problem = z.object({
  type: z.string().describe("A URN of the code"),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  code: z.enum(Object.keys(STATUSES) as [ErrorCode, ...ErrorCode[]]),
  request_id: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  retry_after_s: z
    .int()
    .optional()
    .describe("Seconds after which it may be tried again, where that is known: an `error` event has no `Retry-After`"),
})
export type Problem = z.infer<typeof Problem>

/** The status of an error's code. */
export function statusOf(code: ErrorCode) {
  return STATUSES[code][0]
}

/**
 * The error as one that a caller may see. What nobody foresaw becomes `internal`, without its message: that may hold
 * SQL or another tenant's data.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof HTTPException) return new AppError(codeOfStatus(error.status), error.message, { cause: error })
  if (error instanceof Error && error.name === "TimeoutError") {
    return new AppError("deadline_exceeded", "The time allowed for this request ran out", { cause: error })
  }
  return new AppError("internal", "The request id finds this failure in the log", { cause: error })
}

function codeOfStatus(status: number): ErrorCode {
  const match = Object.entries(STATUSES).find(([, [known]]) => known === status)
  if (match) return match[0] as ErrorCode
  return status < 500 ? "invalid_request" : "internal"
}

/** Answers an error as a problem, and logs those that are ours to mend. */
export function onError(log: Log): ErrorHandler<Edge> {
  return (thrown, c) => {
    logFailure(c, log, thrown)
    return problem(c, toAppError(thrown))
  }
}

/** The problem of an error that comes in the middle of an answer, logged as any other. */
export function failure(c: Context<Edge>, log: Log, thrown: unknown, isAbandoned: boolean): Problem {
  logFailure(c, log, thrown, isAbandoned)
  return toProblem(c, toAppError(thrown))
}

/** A caller who has gone away hears nothing, and nothing is wrong here. */
function logFailure(c: Context<Edge>, log: Log, thrown: unknown, isAbandoned = c.req.raw.signal.aborted): void {
  const { code } = toAppError(thrown)
  if (statusOf(code) >= 500 && !isAbandoned)
    log.error("request failed", { requestId: c.get("requestId"), code, error: thrown })
}

/** Answers what no route matches: 405 with `Allow` where another method would, else 404. */
export function onNotFound(app: Hono<Edge>): NotFoundHandler<Edge> {
  return (c) => {
    const allowed = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) =>
      app.router.match(method, c.req.path)[0].some(([[, route]]) => route.method === method),
    )
    if (allowed.length === 0) {
      return problem(c, new AppError("not_found", "No route has this path; /openapi.json lists them all"))
    }
    const allow = (allowed.includes("GET") ? ["HEAD", ...allowed] : allowed).join(", ")
    c.header("Allow", allow)
    return problem(c, new AppError("method_not_allowed", `This path takes ${allow}`))
  }
}

function problem(c: Context<Edge>, error: AppError): Response {
  const status = statusOf(error.code)
  // The guard has said more of a key that was sent (RFC 6750, 3.1).
  if (status === 401 && !c.res.headers.has("WWW-Authenticate"))
    c.header("WWW-Authenticate", 'Bearer realm="concordance"')
  // What is down may be waking up; who waits this long doesn't come in the middle of it.
  if (error.retryAfterS !== null) c.header("Retry-After", String(error.retryAfterS))
  else if (status === 503) c.header("Retry-After", RETRY_AFTER_S)
  return c.body(JSON.stringify(toProblem(c, error)), status, { "Content-Type": "application/problem+json" })
}

function toProblem(c: Context<Edge>, error: AppError): Problem {
  const [status, title] = STATUSES[error.code]
  return {
    type: `urn:concordance:problem:${error.code}`,
    title,
    status,
    ...(error.message && { detail: error.message }),
    code: error.code,
    request_id: c.get("requestId"),
    ...(error.fields.length > 0 && { errors: [...error.fields] }),
    ...(error.retryAfterS !== null && { retry_after_s: error.retryAfterS }),
  }
}
