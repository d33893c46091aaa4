import { setTimeout as sleep } from "node:timers/promises"

/** A database that was asleep needs so long before it is asked again, ms: Neon's computes start in 300 to 500. */
const WAIT_MS = 500
/** Codes of a connection that never stood: nothing was sent. `57P03` and `08001` are the server's own words for it. */
const NEVER_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "57P03", "08001"])
/** What Neon's proxy says when it reached no compute, in place of a SQLSTATE. */
const NO_COMPUTE = /connect to compute|compute node|control plane/i

/**
 * Runs a unit of work once more where it can't have begun, because there was no connection: a suspended database answers
 * the second time. What may have reached the server is not repeated, so that no write happens twice.
 */
export async function askAgain<T>(run: () => Promise<T>, timeoutMs: number): Promise<T> {
  const began = performance.now()
  try {
    return await run()
  } catch (error) {
    if (!neverBegan(error) || performance.now() - began + WAIT_MS > timeoutMs) throw error
    await sleep(WAIT_MS)
    return run()
  }
}

/** Looks through the causes: drivers wrap what the socket said. */
function neverBegan(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false
  const { code, sourceError, errors } = error as { code?: unknown; sourceError?: unknown; errors?: readonly unknown[] }
  if (typeof code === "string" && code !== "") return NEVER_CONNECTED.has(code)
  return (
    NO_COMPUTE.test(error.message) ||
    [error.cause, sourceError, ...(errors ?? [])].some((cause) => neverBegan(cause, depth + 1))
  )
}
