import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Hono } from "hono"
import { secureHeaders } from "hono/secure-headers"
import type { Edge } from "./edge.ts"

const SCRIPT = "text/javascript; charset=utf-8"
const STYLE = "text/css; charset=utf-8"
const PAGE = "text/html; charset=utf-8"

/** Every file the pages are made of, by its path; nothing comes from another host. */
const FILES = {
  "/": [ours("search.html"), PAGE],
  "/assets/search.css": [ours("search.css"), STYLE],
  "/assets/search.js": [ours("search.js"), SCRIPT],
  "/docs": [ours("docs.html"), PAGE],
  "/assets/docs.js": [ours("docs.js"), SCRIPT],
  "/assets/docs.css": [swagger("swagger-ui.css"), STYLE],
  "/assets/swagger-ui.js": [swagger("swagger-ui-bundle.js"), SCRIPT],
} as const

/** `GET /`, a page to search from, and `GET /docs`, which shows the contract and tries it out. */
export function pagesRoute() {
  const app = new Hono<Edge>()
  const headers = secureHeaders({
    // Swagger UI styles its elements in place and draws its icons as data: URLs.
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", "data:"],
      connectSrc: ["'self'"],
    },
  })
  for (const [path, [file, type]] of Object.entries(FILES)) {
    // Read when first asked for: the 1.5 MB of Swagger UI cost a start nothing.
    let content: string | undefined
    app.get(path, headers, (c) => {
      content ??= readFileSync(file, "utf8")
      return c.body(content, 200, { "Content-Type": type, "Cache-Control": "no-cache" })
    })
  }
  app.get("/docs/", (c) => c.redirect("/docs", 308))
  return app
}

function ours(name: string): URL {
  return new URL(`./pages/${name}`, import.meta.url)
}

function swagger(name: string): string {
  return createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)
}
