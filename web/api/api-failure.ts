import type { Problem } from "../../functions/http/problem.ts"
import { isLoopbackHost } from "../../lib/loopback.ts"

/** Why a request came to nothing. */
export class ApiFailure extends Error {
  /** `unreachable`: no answer at all. Otherwise the code of the problem document, `internal` where there was none. */
  readonly code: Problem["code"] | "unreachable"
  readonly title: string
  readonly requestId: string | null
  /** Seconds after which it may be tried again, where the server says so. */
  readonly retryAfterS: number | null

  constructor(
    code: ApiFailure["code"],
    {
      title,
      detail,
      requestId,
      retryAfterS,
    }: Partial<Record<"title" | "detail" | "requestId", string>> & {
      readonly retryAfterS?: number | undefined
    },
  ) {
    super(detail ?? title ?? "Something went wrong")
    this.name = "ApiFailure"
    this.code = code
    this.title = title ?? "Something went wrong"
    this.requestId = requestId ?? null
    this.retryAfterS = retryAfterS ?? null
  }
}

/** No answer: the server is down, or the network is, which one on this same machine doesn't need. */
export function unreachable(): ApiFailure {
  return navigator.onLine || isLoopbackHost(location.host)
    ? new ApiFailure("unreachable", {
        title: "The server doesn't answer",
        detail: "It may be restarting. Try again in a moment.",
      })
    : new ApiFailure("unreachable", {
        title: "You are offline",
        detail: "Nothing can be loaded until this device has a connection again.",
      })
}

/** The failure that a response with an error's status tells of. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const problem = (await response.json().catch(() => null)) as Partial<Problem> | null
  return failureFrom(problem, response.headers)
}

/** The failure that a problem document tells of, wherever it came from. */
export function failureFrom(problem: Partial<Problem> | null, headers?: Headers): ApiFailure {
  const fields = (problem?.errors ?? []).map(({ field, message }) => `${field}: ${message}`).join("\n")
  const wait = Number(headers?.get("retry-after") ?? problem?.retry_after_s ?? Number.NaN)
  return new ApiFailure(problem?.code ?? "internal", {
    ...(problem?.title !== undefined && { title: problem.title }),
    ...((fields || problem?.detail) && { detail: fields || (problem?.detail as string) }),
    ...(problem?.request_id !== undefined && { requestId: problem.request_id }),
    ...(Number.isFinite(wait) && { retryAfterS: wait }),
  })
}

/** True of what an aborted request throws: nobody waits for it any more. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError"
}

/** Whatever was thrown by a call, as what a view can show. */
export function asFailure(error: unknown): ApiFailure {
  return error instanceof ApiFailure ? error : unreachable()
}
