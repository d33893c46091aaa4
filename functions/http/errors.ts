import type { Context, ErrorHandler, Hono, NotFoundHandler } from "hono"
import { HTTPException } from "hono/http-exception"
import { AppError, type ErrorCode } from "../../lib/errors.ts"
import type { Log } from "../../lib/log.ts"
import type { Edge } from "./edge.ts"
import type { Problem } from "./problem.ts"
import { STATUSES } from "./statuses.ts"

/** When to ask a service again that didn't answer, s. */
const RETRY_AFTER_S = "5"

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

/**
 * A caller who has gone away hears nothing, and nothing is wrong here. What a full queue refuses is a line without a stack: a
 * flood brings thousands.
 */
function logFailure(c: Context<Edge>, log: Log, thrown: unknown, isAbandoned = c.req.raw.signal.aborted): void {
  const { code, message } = toAppError(thrown)
  if (statusOf(code) < 500 || isAbandoned) return
  const requestId = c.get("requestId")
  if (code === "overloaded") log.warn("request shed", { requestId, code, reason: message })
  else log.error("request failed", { requestId, code, error: thrown })
}

/** Answers what no route matches: 405 with `Allow` where another method would, else 404. */
export function onNotFound(app: Hono<Edge>): NotFoundHandler<Edge> {
  return (c) => {
    const allowed = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) =>
      app.router.match(method, c.req.path)[0].some(([[, route]]) => route.method === method),
    )
    if (allowed.length === 0) {
      const isListed = app.routes.some(({ path }) => path === "/openapi.json")
      return problem(
        c,
        new AppError("not_found", `No route has this path${isListed ? "; /openapi.json lists them all" : ""}`),
      )
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
