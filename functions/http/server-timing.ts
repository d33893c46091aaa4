import type { MiddlewareHandler } from "hono"
import { currentActivity, type StageTime } from "../../lib/activity.ts"
import type { Edge } from "./edge.ts"

/** `Server-Timing`: what each stage took until the response began, in the order they ended, and `total`. */
export function stageTimings(): MiddlewareHandler<Edge> {
  return async (c, next) => {
    const began = performance.now()
    await next()
    const total = { stage: "total", ms: performance.now() - began }
    c.header("Server-Timing", serverTiming([...(currentActivity().times ?? []), total]))
  }
}

/** `embed;dur=4.1, rank;dur=8.7`. A stage that ran several times is named once, with all its time. */
function serverTiming(times: readonly StageTime[]): string {
  const sums = new Map<string, number>()
  for (const { stage, ms } of times) sums.set(stage, (sums.get(stage) ?? 0) + ms)
  return [...sums].map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`).join(", ")
}
