import type { MiddlewareHandler } from "hono"
import type { Timings } from "../../lib/search/search.ts"
import type { Edge } from "./edge.ts"

/** The header's value for a list of stages: `embed;dur=4.1, rank;dur=8.7`. */
export function serverTiming(timings: Timings): string {
  return timings.map(({ stage, ms }) => `${stage};dur=${ms.toFixed(1)}`).join(", ")
}

/** Adds the time until the response began, `total`, to what the route says of its stages. */
export function totalTiming(): MiddlewareHandler<Edge> {
  return async (c, next) => {
    const began = performance.now()
    await next()
    c.header("Server-Timing", serverTiming([{ stage: "total", ms: performance.now() - began }]), { append: true })
  }
}
