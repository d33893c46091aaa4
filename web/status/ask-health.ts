import type { HealthReport } from "../../lib/health.ts"
import { failureOf, isAborted, unreachable } from "../api/api-failure.ts"
import { authorisation, withQuery } from "../api/call.ts"
import { apiKey, keyWanted } from "../api/session.ts"

/** What the server says of its parts: a 503 says so too, and is an answer here. Throws an `ApiFailure`, or the abort. */
export async function askHealth(signal: AbortSignal): Promise<HealthReport> {
  let response: Response
  try {
    response = await fetch(withQuery("/health", { detail: 1 }), { headers: authorisation(), signal })
  } catch (error) {
    throw isAborted(error) ? error : unreachable()
  }
  const isReport = response.ok || response.status === 503
  const report = isReport ? await reportOf(response.clone(), signal) : null
  if (report !== null) return report
  if (response.status === 401) keyWanted.value = apiKey.peek() === "" ? "missing" : "refused"
  throw await failureOf(response)
}

/** Null where something in between answered. */
async function reportOf(response: Response, signal: AbortSignal): Promise<HealthReport | null> {
  const report = (await response.json().catch(() => null)) as HealthReport | null
  signal.throwIfAborted()
  return report?.status === "ok" || report?.status === "unhealthy" ? report : null
}
