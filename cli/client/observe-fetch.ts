import type { FetchLike } from "@modelcontextprotocol/client"

/** Why the last request failed; null where it didn't. The SDK's errors tell it in a dozen ways, or not at all. */
export type RequestFailure =
  | { readonly kind: "status"; readonly status: number; readonly retryAfterS: number | null }
  /** A code like `ECONNREFUSED`, or empty. */
  | { readonly kind: "network"; readonly code: string }

export interface ObservedFetch {
  readonly fetch: FetchLike
  failure(): RequestFailure | null
}

interface ObserveOptions {
  readonly key: string | undefined
  /** Of requests whose answers come as a stream. */
  readonly streamMethod: "GET" | "POST"
  /** Such a stream ended, or broke off. */
  onStreamEnd(): void
}

/** `fetch` with the key as bearer token, that remembers how its last request ended. */
export function observeFetch({ key, streamMethod, onStreamEnd }: ObserveOptions): ObservedFetch {
  let failure: RequestFailure | null = null
  return {
    failure: () => failure,
    async fetch(url, init) {
      const headers = new Headers(init?.headers)
      if (key !== undefined) headers.set("Authorization", `Bearer ${key}`)
      try {
        const response = await fetch(url, { ...init, headers })
        const retryAfterS = Number.parseInt(response.headers.get("retry-after") ?? "", 10)
        failure = response.ok
          ? null
          : {
              kind: "status",
              status: response.status,
              retryAfterS: Number.isNaN(retryAfterS) ? null : retryAfterS,
            }
        const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false
        return isStream && (init?.method ?? "GET") === streamMethod ? watched(response, onStreamEnd) : response
      } catch (error) {
        failure = { kind: "network", code: codeOf(error) }
        throw error
      }
    },
  }
}

/** The same response, whose body tells of its end. */
function watched({ body, status, statusText, headers }: Response, onEnd: () => void): Response {
  const reader = body?.getReader()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const read = await reader?.read().catch((error: unknown) => ({ error }))
      if (read && "value" in read && read.value) return controller.enqueue(read.value)
      if (read && "error" in read) controller.error(read.error)
      else controller.close()
      return onEnd()
    },
    cancel: (reason) => reader?.cancel(reason),
  })
  return new Response(stream, { status, statusText, headers })
}

/** Node has the reason one or two causes down. */
function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (typeof code === "string") return code
  }
  return ""
}
