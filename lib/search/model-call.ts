import type { Deadline } from "../deadline.ts"
import { AppError } from "../errors.ts"

class TooSlow extends Error {}

/** What a model gave, or why it gave nothing, in words for the caller. */
export type ModelResult<T> = { readonly value: T } | { readonly missing: string }

/**
 * Asks a model, for at most `timeoutMs` and half of the time that the whole request has left: the other half is for the
 * answer without it. A search can do without any of its models, so one that fails or is late is told, not thrown: even one that doesn't heed its signal, since a model that is
 * still loading can't.
 */
export async function callModel<T>(
  what: string,
  timeoutMs: number,
  deadline: Deadline,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<ModelResult<T>> {
  const controller = new AbortController()
  const ms = Math.min(timeoutMs, deadline.left() / 2)
  let stop = (): void => {}
  const late = new Promise<never>((_, reject) => {
    const tooSlow = (): void => reject(new TooSlow())
    const timer = setTimeout(tooSlow, ms)
    deadline.signal.addEventListener("abort", tooSlow, { once: true })
    stop = () => {
      clearTimeout(timer)
      deadline.signal.removeEventListener("abort", tooSlow)
      controller.abort()
    }
  })
  try {
    return { value: await Promise.race([run(controller.signal), late]) }
  } catch (error) {
    if (error instanceof TooSlow) return { missing: `the ${what} did not answer within ${Math.round(ms)} ms` }
    return { missing: error instanceof AppError ? `the ${what} failed (${error.code})` : `the ${what} failed` }
  } finally {
    stop()
  }
}
