import type { HealthReport } from "../../lib/health.ts"
import { failureOf } from "../api/api-failure.ts"
import { request } from "../api/call.ts"

/** What the server says of its parts: a 503 says so too, and is an answer here. Throws an `ApiFailure`, or the abort. */
export async function askHealth(signal: AbortSignal): Promise<HealthReport> {
  const response = await request("/health", { query: { detail: 1 }, signal, accepts: 503 })
  const report = await reportOf(response.clone(), signal)
  if (report !== null) return report
  throw await failureOf(response)
}

/** Null where something in between answered. */
async function reportOf(response: Response, signal: AbortSignal): Promise<HealthReport | null> {
  const report = (await response.json().catch(() => null)) as HealthReport | null
  signal.throwIfAborted()
  return report?.status === "ok" || report?.status === "unhealthy" ? report : null
}
