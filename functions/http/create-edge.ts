import { Hono } from "hono"
import type { Log } from "../../lib/log.ts"
import { accessLog } from "./access-log.ts"
import type { Edge } from "./edge.ts"
import { onError, onNotFound } from "./errors.ts"
import { requestId } from "./request-id.ts"
import { totalTiming } from "./server-timing.ts"

/** What stands around every route, and answers what none of them does. */
export function createEdge(log: Log): Hono<Edge> {
  const app = new Hono<Edge>()
  app.use(requestId(), accessLog(log), totalTiming(), async (c, next) => {
    c.header("X-Content-Type-Options", "nosniff")
    await next()
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store")
    // A body that was refused before its end: @hono/node-server cuts its connection 500 ms later, whatever request is on it by then.
    if (c.res.status >= 400 && c.env?.incoming?.complete === false) c.header("Connection", "close")
  })
  app.onError(onError(log))
  app.notFound(onNotFound(app))
  return app
}
