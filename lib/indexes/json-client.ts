import { EngineRefusal, indexUnavailable } from "./index-failure.ts"

export interface JsonClientOptions {
  /** For messages: `Chroma at http://localhost:8000`. */
  readonly name: string
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Setting that a refused key is to be corrected in. */
  readonly keySetting: string
}

/** One request: the answer's JSON, undefined where a success has no body, or null for `missing` statuses. */
export type JsonCall = <T>(
  method: string,
  path: string,
  body: unknown,
  signal: AbortSignal,
  missing?: readonly number[],
) => Promise<T | null>

/**
 * JSON over HTTP to an engine. Redirects are refused, since keys would follow them. Throws `index_unavailable` for a refused key
 * (401, 403), too many requests (429) and failures of the engine (5xx), EngineRefusal for other statuses.
 */
export function createJsonClient({ name, baseUrl, headers, keySetting }: JsonClientOptions): JsonCall {
  return async <T>(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
    missing: readonly number[] = [],
  ) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      signal,
      redirect: "error",
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (response.ok) {
      const text = await response.text()
      return (text === "" ? undefined : JSON.parse(text)) as T
    }
    // Read to the end, so that the connection is free for the next call; what it says may hold content.
    await response.arrayBuffer()
    if (missing.includes(response.status)) return null
    throw refusal(name, response.status, keySetting)
  }
}

function refusal(name: string, status: number, keySetting: string): Error {
  const cause = new EngineRefusal(status)
  if (status === 401 || status === 403) return indexUnavailable(name, `refused the key. Check ${keySetting}.`, cause)
  if (status === 429) return indexUnavailable(name, "has too many requests. Try again later.", cause)
  return status >= 500
    ? indexUnavailable(name, `failed (status ${status}). Try again; if it lasts, look at its log.`, cause)
    : cause
}
