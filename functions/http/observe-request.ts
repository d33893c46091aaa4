import type { MiddlewareHandler } from "hono"
import { routePath } from "hono/route"
import { currentActivity, measure, runActivity } from "../../lib/activity.ts"
import type { Edge } from "./edge.ts"
import { knownMethod } from "./known-method.ts"

/** What is answered to those who may not, or not now. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 429, 503])

/**
 * Makes the request what the process is at work for, under its id, and traces and measures it by OpenTelemetry's conventions
 * for HTTP: the route's pattern, never the path. Ends when the answer begins; a stream goes on in its children.
 */
export function observeRequest(): MiddlewareHandler<Edge> {
  return async (c, next) => {
    const { telemetry } = currentActivity()
    const began = performance.now()
    const method = knownMethod(c.req.method)
    const attributes = {
      "http.request.method": method,
      "url.scheme": c.req.url.startsWith("https:") ? "https" : "http",
    }
    const parent = c.req.header("traceparent") ?? null
    const span = telemetry?.startSpan(method, { kind: "server", attributes, parent }) ?? null
    await runActivity({ requestId: c.get("requestId"), telemetry, span, times: [] }, async () => {
      await next()
      const { status } = c.res
      const found = { "http.route": routePath(c, -1), "http.response.status_code": status }
      span?.rename(`${method} ${found["http.route"]}`)
      span?.set(found)
      if (status >= 500) span?.fail(String(status))
      span?.end()
      measure("http.server.request.duration", (performance.now() - began) / 1_000, { ...attributes, ...found })
      if (REFUSED.has(status)) measure("concordance.requests.refused", 1, found)
    })
  }
}
