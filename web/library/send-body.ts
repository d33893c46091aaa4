import { ApiFailure, failureFrom, unreachable } from "../api/api-failure.ts"

interface SendOptions {
  readonly method: "POST" | "PUT"
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Bytes on their way so far. */
  readonly onSent: (bytes: number) => void
}

/** Sends a body and tells how much of it has gone, which `fetch` can't. Throws an `ApiFailure`, or the abort's `DOMException`. */
export function sendBody(url: string, body: XMLHttpRequestBodyInit, options: SendOptions): Promise<string> {
  const { method, headers, signal, onSent } = options
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    const end = (settle: () => void) => () => {
      signal.removeEventListener("abort", abort)
      settle()
    }
    if (signal.aborted) return reject(new DOMException("Aborted", "AbortError"))
    signal.addEventListener("abort", abort)
    request.open(method, url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onabort = end(() => reject(new DOMException("Aborted", "AbortError")))
    request.onerror = end(() => reject(unreachable()))
    request.onload = end(() => {
      if (request.status >= 200 && request.status < 300) resolve(request.responseText)
      else reject(failureOf(request))
    })
    request.send(body)
  })
}

function failureOf(request: XMLHttpRequest): ApiFailure {
  const retryAfter = request.getResponseHeader("retry-after")
  const headers = new Headers(retryAfter === null ? {} : { "retry-after": retryAfter })
  try {
    const problem: unknown = JSON.parse(request.responseText)
    if (typeof problem === "object") return failureFrom(problem, headers)
  } catch {
    // Something in between answered, a proxy or the store.
  }
  const title =
    request.status === 413 ? "The file is too large for what stands in front of this server" : "It wasn't taken"
  return new ApiFailure("internal", { title, detail: `${title} (status ${request.status}).` })
}
