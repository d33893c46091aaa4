import { ApiFailure, failureOf, isAborted, unreachable } from "./api-failure.ts"
import { apiKey, tenant, wantKey } from "./session.ts"

interface CallOptions {
  readonly method?: "GET" | "POST" | "DELETE"
  /** Sent as JSON, or as the form that it is. */
  readonly body?: object
  readonly accept?: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly signal?: AbortSignal
  /** A status that is an answer too. */
  readonly accepts?: number
}

/** Asks the API as who the session is. Throws an `ApiFailure`, or the abort's `DOMException`. */
export async function request(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = options.body ? "POST" : "GET", body, accept, signal, accepts } = options
  const isForm = body instanceof FormData
  let response: Response
  try {
    response = await fetch(withQuery(path, options.query), {
      method,
      headers: {
        ...authorisation(),
        ...(accept !== undefined && { accept }),
        ...(body && !isForm && { "content-type": "application/json" }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    throw isAborted(error) ? error : unreachable()
  }
  if (response.ok || response.status === accepts) return response
  const failure = await failureOf(response)
  if (response.status === 401) wantKey()
  throw failure
}

/** The answer's body, from JSON. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  return jsonOf<T>(await request(path, options))
}

/** The body of an answer whose headers are read too. Throws an `ApiFailure` where it broke off. */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T
  } catch (error) {
    if (isAborted(error)) throw error
    throw new ApiFailure("internal", { title: "The answer broke off", detail: "Try again." })
  }
}

/** What says who asks. */
export function authorisation(): Record<string, string> {
  return apiKey.peek() === "" ? {} : { authorization: `Bearer ${apiKey.peek()}` }
}

/** A path of the API with its query, and the tenant where one is chosen; a link that names its own keeps it. */
export function withQuery(path: string, query: CallOptions["query"] = {}): string {
  const url = new URL(path, location.origin)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  if (tenant.peek() !== "" && !url.searchParams.has("source_account_id")) {
    url.searchParams.set("source_account_id", tenant.peek())
  }
  return url.pathname + url.search
}
