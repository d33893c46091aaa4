import { Hono } from "hono"
import type { Log } from "../../lib/log.ts"
import { accessLog } from "./access-log.ts"
import { cors } from "./cors.ts"
import type { Edge } from "./edge.ts"
import { onError, onNotFound } from "./errors.ts"
import { observeRequest } from "./observe-request.ts"
import { protectiveHeaders } from "./protective-headers.ts"
import { requestId } from "./request-id.ts"
import { stageTimings } from "./server-timing.ts"

/** What stands around every route, and answers what none of them does. Pages of `corsOrigins` may read the answers. */
export function createEdge(log: Log, corsOrigins: readonly string[]): Hono<Edge> {
  const app = new Hono<Edge>()
  app.use(requestId(), observeRequest(), accessLog(log), stageTimings(), protectiveHeaders(), cors(corsOrigins))
  app.use(async (c, next) => {
    await next()
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store")
    // A body that was refused before its end: @hono/node-server cuts its connection 500 ms later, whatever request is on it by then.
    if (c.res.status >= 400 && c.env?.incoming?.complete === false) c.header("Connection", "close")
  })
  app.onError(onError(log))
  app.notFound(onNotFound(app))
  return app
}
