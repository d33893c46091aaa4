import type { MiddlewareHandler } from "hono"
import { secureHeaders } from "hono/secure-headers"
import type { Edge } from "./edge.ts"

/**
 * What every answer says to a browser, errors and streams included, unless its route has said it more exactly. An answer may
 * hold what somebody uploaded: opened by itself it runs nothing, loads nothing, and has no origin (`sandbox`).
 */
const HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "X-Frame-Options": "DENY",
  // Of no effect on CORS: it keeps pages of other sites from showing a picture or running a script that is here.
  "Cross-Origin-Resource-Policy": "same-origin",
  // An address may name a document.
  "Referrer-Policy": "no-referrer",
} as const

/** The headers of `HEADERS`, on whatever has none of its own. */
export function protectiveHeaders(): MiddlewareHandler<Edge> {
  return async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.header(name, value)
  }
}

interface PagePolicy {
  readonly formAction: "'none'" | "'self'"
  readonly styles?: readonly string[]
  readonly pictures: readonly string[]
}

/** The headers of a page of ours and its files: it loads what lies beside it, asks its own service, and stands in no frame. */
export function pageHeaders({ formAction, styles = [], pictures }: PagePolicy): MiddlewareHandler<Edge> {
  return secureHeaders({
    xFrameOptions: "DENY",
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: [formAction],
      frameAncestors: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", ...styles],
      imgSrc: ["'self'", ...pictures],
      connectSrc: ["'self'"],
    },
  })
}
