import type { Context, MiddlewareHandler } from "hono"
import type { Edge } from "./edge.ts"

/** Where a client finds how to send a key (RFC 9728). */
export const RESOURCE_METADATA = "/.well-known/oauth-protected-resource"

/** A host as a header may name it, and a URL in quotes may repeat it. */
const HOST = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:]+\](?::\d{1,5})?$/i

/** The service's own address, as the client sees it: a router or proxy in front of it says so. */
export function publicOrigin(c: Context<Edge>): string {
  const own = new URL(c.req.url)
  const host = [c.req.header("x-forwarded-host"), c.req.header("host")].find((each) => each && HOST.test(each))
  const forwarded = c.req.header("x-forwarded-proto")?.split(",")[0]?.trim()
  const scheme = forwarded === "https" || forwarded === "http" ? forwarded : own.protocol.slice(0, -1)
  return `${scheme}://${host ?? own.host}`
}

/** Adds to the challenge of a 401 or 403 where its resource is described, as MCP's authorization has it. */
export function mcpChallenge(): MiddlewareHandler<Edge> {
  return async (c, next) => {
    await next()
    const challenge = c.res.headers.get("WWW-Authenticate")
    if (challenge === null) return
    const metadata = `${publicOrigin(c)}${RESOURCE_METADATA}${c.req.path}`
    c.res.headers.set("WWW-Authenticate", `${challenge}, resource_metadata="${metadata}"`)
  }
}
