import { AppError } from "../errors.ts"

/** What an engine answered with a status that isn't a success, for the adapter to judge. */
export class EngineRefusal extends Error {
  override readonly name = "EngineRefusal"
  readonly status: number

  constructor(status: number) {
    super(`status ${status}`)
    this.status = status
  }
}

/** An engine that can't be reached, fails, or refuses its key. `problem` continues the engine's name. */
export function indexUnavailable(name: string, problem: string, cause?: unknown): AppError {
  return new AppError("index_unavailable", `${name} ${problem}`, { cause })
}

/**
 * Runs one call to an engine and tells its failure as the rest of the product knows it. A call that doesn't heed its signal is
 * left behind when that aborts. What is an AppError already passes; anything else is `index_unavailable`, its own words, which
 * may hold content, kept to the cause's name and code.
 */
export async function callIndex<T>(name: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  let stop = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    const gone = () => reject(signal.reason)
    if (signal.aborted) gone()
    signal.addEventListener("abort", gone, { once: true })
    stop = () => signal.removeEventListener("abort", gone)
  })
  try {
    return await Promise.race([aborted, run()])
  } catch (error) {
    if (signal.aborted) throw lateOrGone(name, signal.reason)
    if (error instanceof AppError) throw error
    if (error instanceof EngineRefusal) throw indexUnavailable(name, `refused the request (${error.message}).`, error)
    throw indexUnavailable(
      name,
      "does not answer. Check that it runs and can be reached from here.",
      withoutContent(error),
    )
  } finally {
    stop()
  }
}

function lateOrGone(name: string, reason: unknown): unknown {
  const isLate = reason instanceof Error && reason.name === "TimeoutError"
  return isLate
    ? new AppError("deadline_exceeded", `${name} did not answer in the time allowed.`, { cause: reason })
    : reason
}

function withoutContent(error: unknown): Error {
  const { name = "Error", code, cause } = (error ?? {}) as { name?: string; code?: unknown; cause?: { code?: unknown } }
  return new Error([name, code, cause?.code].filter((part) => typeof part === "string").join(" "))
}
