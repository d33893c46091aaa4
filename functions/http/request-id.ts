import { randomUUID } from "node:crypto"
import type { MiddlewareHandler } from "hono"
import { REQUEST_ID } from "../../lib/activity.ts"
import type { Edge } from "./edge.ts"

/** Gives each request an id, Lambda's where one answers it, the caller's own `x-request-id` where it is a decent one, and sends it back. */
export function requestId(): MiddlewareHandler<Edge> {
  return async (c, next) => {
    const given = c.req.header("x-request-id")
    const id = given && REQUEST_ID.test(given) ? given : (c.env?.lambdaContext?.awsRequestId ?? randomUUID())
    c.set("requestId", id)
    c.header("x-request-id", id)
    await next()
  }
}
