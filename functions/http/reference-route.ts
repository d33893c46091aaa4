import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Hono } from "hono"
import type { Edge } from "./edge.ts"
import { pageHeaders } from "./protective-headers.ts"

const SCRIPT = "text/javascript; charset=utf-8"

/** Every file the reference is made of, by its path, from the root of the project; nothing comes from another host. */
const FILES = {
  "/docs": ["functions/http/reference/reference.html", "text/html; charset=utf-8"],
  "/docs/reference.js": ["functions/http/reference/reference.js", SCRIPT],
  "/docs/swagger-ui.css": ["node_modules/swagger-ui-dist/swagger-ui.css", "text/css; charset=utf-8"],
  "/docs/swagger-ui.js": ["node_modules/swagger-ui-dist/swagger-ui-bundle.js", SCRIPT],
} as const

/** `GET /docs`, which shows the contract and tries it out. */
export function referenceRoute(root: string) {
  const app = new Hono<Edge>()
  // Swagger UI styles its elements in place and draws its icons as data: URLs.
  const headers = pageHeaders({ formAction: "'self'", styles: ["'unsafe-inline'"], pictures: ["data:"] })
  for (const [path, [file, type]] of Object.entries(FILES)) {
    // Read when first asked for: the 1.5 MB of Swagger UI cost a start nothing.
    let content: string | undefined
    app.get(path, headers, (c) => {
      content ??= readFileSync(join(root, file), "utf8")
      return c.body(content, 200, { "Content-Type": type, "Cache-Control": "no-cache" })
    })
  }
  app.get("/docs/", (c) => c.redirect("/docs", 308))
  return app
}
