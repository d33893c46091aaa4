import type { Context } from "hono"
import { withinMs } from "../../lib/deadline.ts"
import { AppError } from "../../lib/errors.ts"
import type { Edge } from "./edge.ts"

/** Longest silence in the middle of a body, ms: a phone that changes networks is back in less. */
const SILENCE_MS = 30_000

interface BodyTimes {
  readonly silenceMs?: number
  /** Longest that all of it may take, ms; as long as the server lets a request last when absent. */
  readonly totalMs?: number
}

/**
 * A request's body as it comes. Its sender may be slow, but not silent: nobody is to hold a request open with a body that never
 * ends. While the reader does something else no time counts. Throws `body_too_slow`.
 */
export async function* bodyParts(
  c: Context<Edge>,
  { silenceMs = SILENCE_MS, totalMs = Infinity }: BodyTimes = {},
): AsyncGenerator<Uint8Array> {
  const reader = c.req.raw.body?.getReader()
  if (!reader) return
  let leftMs = totalMs
  try {
    for (;;) {
      const began = performance.now()
      const { done, value } = await withinMs(reader.read(), Math.min(silenceMs, leftMs), () =>
        tooSlow({ silenceMs, totalMs }),
      )
      leftMs -= performance.now() - began
      if (done) return
      yield value
    }
  } finally {
    // What nobody reads any more is not waited for.
    void reader.cancel().catch(() => {})
  }
}

function tooSlow({ silenceMs, totalMs }: Required<BodyTimes>): AppError {
  const all = Number.isFinite(totalMs) ? `, and all of it within ${totalMs / 1_000} s` : ""
  const message = `must come without a pause of ${silenceMs / 1_000} s${all}`
  return new AppError("body_too_slow", `body: ${message}`, { fields: [{ field: "body", message }] })
}
