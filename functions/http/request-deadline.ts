import type { Context } from "hono"
import { type Deadline, deadlineIn } from "../../lib/deadline.ts"
import type { Edge } from "./edge.ts"

/** What is left of a Lambda's time to send the answer in, ms. */
const ANSWER_MS = 500

/**
 * When a request must be answered: `timeoutMs` from now, or before the Lambda that answers it is ended, or its caller
 * leaves. Whoever streams an answer knows of that by a `left` of its own.
 */
export function requestDeadline(c: Context<Edge>, timeoutMs: number, left = c.req.raw.signal): Deadline {
  const leftMs = (c.env?.lambdaContext?.getRemainingTimeInMillis() ?? Infinity) - ANSWER_MS
  return deadlineIn(Math.max(0, Math.min(timeoutMs, leftMs)), left)
}
