import type { MiddlewareHandler } from "hono"
import { routePath } from "hono/route"
import type { Log } from "../../lib/log.ts"
import type { Edge } from "./edge.ts"
import { knownMethod } from "./known-method.ts"

/** A line a request at `debug`: the route's pattern, never the path, whose ids may say what a document is about. */
export function accessLog(log: Log): MiddlewareHandler<Edge> {
  return async (c, next) => {
    const began = performance.now()
    await next()
    log.debug("request", {
      requestId: c.get("requestId"),
      key: c.get("principal")?.id,
      method: knownMethod(c.req.method),
      route: routePath(c, -1),
      status: c.res.status,
      ms: Math.round(performance.now() - began),
    })
  }
}
