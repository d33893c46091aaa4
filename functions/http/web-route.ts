import { readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { type Context, Hono } from "hono"
import { compress } from "hono/compress"
import { AppError } from "../../lib/errors.ts"
import type { Edge } from "./edge.ts"
import { pageHeaders } from "./protective-headers.ts"

/** Where `npm run web:build` puts the reading room, from the root of the project. */
const BUILT = "web/dist"

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
}

/** Addresses of its views: each is the one page, which reads the address itself. */
const VIEWS = ["/", "/ask", "/library", "/status", "/d/*"]

/** The reading room: static files, as `infra` puts them into a bucket. Nothing comes from another host. */
export function webRoute(root: string) {
  const app = new Hono<Edge>()
  // `blob:` are pictures that were fetched with a key.
  const headers = pageHeaders({ formAction: "'none'", pictures: ["blob:"] })
  const send = async (c: Context<Edge>, file: string, cacheControl: string) => {
    const content = await readFile(join(root, BUILT, file)).catch(() => null)
    if (content === null) throw new AppError("not_found", missing(file))
    return c.body(content, 200, {
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
      "Cache-Control": cacheControl,
    })
  }
  const packed = compress()
  for (const view of VIEWS) app.get(view, packed, headers, (c) => send(c, "index.html", "no-cache"))
  for (const file of ["mark.svg", "theme.js"]) {
    app.get(`/${file}`, packed, headers, (c) => send(c, file, "public, max-age=3600"))
  }
  // Their names change with their contents.
  app.get("/assets/:file{[\\w.-]+\\.(?:js|css|svg)}", packed, headers, (c) =>
    send(c, `assets/${c.req.param("file")}`, "public, max-age=31536000, immutable"),
  )
  return app
}

const missing = (file: string): string =>
  file === "index.html"
    ? "The reading room isn't built: run `npm run web:build`. The API works without it; its reference is at /docs"
    : "There is no such file"
