import type { MiddlewareHandler } from "hono"
import type { Edge } from "./edge.ts"

/** Headers of an answer that a page of another origin may read, besides those that every page may. */
const EXPOSED = [
  ...["x-request-id", "Server-Timing", "Retry-After", "RateLimit", "RateLimit-Policy"],
  ...["Content-Disposition", "ETag", "WWW-Authenticate", "Mcp-Session-Id", "Mcp-Protocol-Version"],
].join(", ")

/** Headers that such a page may send: keys, bodies, request ids, and what MCP's clients add. */
const ACCEPTED = [
  ...["Authorization", "x-api-key", "Content-Type", "x-request-id", "If-None-Match", "Last-Event-ID"],
  ...["Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"],
].join(", ")

/** How long a browser may rely on what a preflight was told, s: a list that was made shorter holds for all after it. */
const MAX_AGE_S = "600"

/**
 * Lets pages of the named origins read answers. All others get no header of CORS at all, the origin `null` among them. Never
 * with credentials: there are no cookies, and a key is sent by the page itself. A page of such an origin needs a key even
 * where programs need none (auth.ts).
 */
export function cors(origins: readonly string[]): MiddlewareHandler<Edge> {
  const allowed = new Set(origins)
  return async (c, next) => {
    // Nothing depends on the origin then, and nobody's cache needs to hear of it.
    if (allowed.size === 0) return next()
    const origin = c.req.header("origin")
    const isAllowed = origin !== undefined && allowed.has(origin)
    if (isAllowed && c.req.method === "OPTIONS" && c.req.header("access-control-request-method") !== undefined) {
      return c.body(null, 204, {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "Access-Control-Allow-Headers": ACCEPTED,
        "Access-Control-Max-Age": MAX_AGE_S,
        Vary: "Origin",
      })
    }
    await next()
    c.header("Vary", "Origin", { append: true })
    if (!isAllowed) return
    c.header("Access-Control-Allow-Origin", origin)
    c.header("Access-Control-Expose-Headers", EXPOSED)
  }
}
