import { describe, expect, test } from "vitest"
import { KeyScope, type Principal } from "../../lib/keys/api-key.ts"
import { createTestApp } from "./test-app.ts"
import { webRoute } from "./web-route.ts"

// Generated from what the app serves and what its contract says, so that a new route without a scope, or with another than
// it says, fails here.

interface Route {
  readonly method: string
  /** As OpenAPI writes it. */
  readonly path: string
  /** What the contract says; undefined where it says that no key is needed. */
  readonly scope?: string
}

/** What needs no key, and says nothing of any tenant. */
const OPEN =
  /^GET \/(?:health(?:\/live|\/ready)?|openapi\.json|docs(?:\/.*)?|\.well-known\/oauth-protected-resource(?:\/mcp|\/sse)?)$/

/** What a POST does can't be told by its method. */
const POSTS: Readonly<Record<string, KeyScope>> = {
  "/search": "search",
  "/feedback": "search",
  "/answer": "search",
  "/chat": "search",
  "/index": "index",
  "/index/batch": "index",
  "/documents": "index",
  "/embed": "inference",
  "/rerank": "inference",
  "/v1/embeddings": "inference",
}
const BY_METHOD: Readonly<Record<string, KeyScope>> = { GET: "search", DELETE: "delete" }

/** A key for each scope alone, called as its scope. */
function scopedApp() {
  const authenticate = async (key: string): Promise<Principal | null> =>
    KeyScope.safeParse(key).success ? { id: key, tenants: ["acme"], scopes: [key as KeyScope] } : null
  const { app, send, reached } = createTestApp({ policy: "keys", authenticate })
  const ask = ({ method, path }: Route, key?: string) =>
    send(
      method,
      path.replace("{page}", "1").replace(/\{\w+\}/g, "a"),
      method === "POST" ? "{}" : undefined,
      key === undefined ? {} : { "x-api-key": key },
    )
  return { app, ask, reached }
}

interface Operation {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
}

async function statedRoutes(): Promise<Route[]> {
  const response = await createTestApp().send("GET", "/openapi.json")
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security }]) => {
      const scope = security[0]?.["bearer"]?.[0]
      return { method: method.toUpperCase(), path, ...(scope !== undefined && { scope }) }
    }),
  )
}

/** All that the app answers, but for the files of the pages; a route of every method as one of each. */
function servedRoutes(): Route[] {
  const pages = new Set(webRoute("").routes.map(({ path }) => path))
  const routes = scopedApp()
    .app.routes.filter(({ path }) => path !== "/*" && !pages.has(path))
    .flatMap(({ method, path }) => (method === "ALL" ? ["GET", "POST", "DELETE"] : [method]).map((m) => `${m} ${path}`))
  return [...new Set(routes)].map((route) => {
    const [method = "", path = ""] = route.split(" ")
    return { method, path: path.replace(/:(\w+)/g, "{$1}") }
  })
}

const stated = await statedRoutes()
const guarded = stated.filter(({ method, path }) => !OPEN.test(`${method} ${path}`))
const name = (routes: readonly Route[]) => routes.map((route) => [`${route.method} ${route.path}`, route] as const)

describe("the contract", () => {
  test.each(name(guarded))("says of %s the scope that it is about", (_, { method, path, scope }) => {
    expect(scope).toBe(method === "POST" ? POSTS[path] : BY_METHOD[method])
  })

  test("asks no key for what is open, and for nothing else", () => {
    const open = stated.filter(({ scope }) => scope === undefined)
    expect(open.filter(({ method, path }) => !OPEN.test(`${method} ${path}`))).toEqual([])
  })
})

describe("a key with one scope alone", () => {
  test.each(name(guarded))("gets through to %s with its scope, and is a 403 with any other", async (_, route) => {
    for (const scope of KeyScope.options) {
      const { ask, reached } = scopedApp()
      const response = await ask(route, scope)
      if (scope === route.scope) expect([401, 403, 405]).not.toContain(response.status)
      else {
        expect(response.status).toBe(403)
        expect(response.headers.get("www-authenticate")).toContain(`scope="${route.scope}"`)
        expect(reached).toEqual([])
      }
    }
  })
})

describe("of what the app serves, in the contract or not", () => {
  const closed = servedRoutes().filter(({ method, path }) => !OPEN.test(`${method} ${path}`))

  test.each(name(closed))("%s is a 401 without a key and with a wrong one", async (_, route) => {
    const { ask, reached } = scopedApp()
    for (const key of [undefined, "wrong"]) expect((await ask(route, key)).status).toBe(401)
    expect(reached).toEqual([])
  })

  test("MCP, over every transport, needs the scope `search`", async () => {
    const transports = closed.filter(({ path }) => ["/mcp", "/sse", "/messages"].includes(path))
    expect(new Set(transports.map(({ path }) => path)).size).toBe(3)
    for (const route of transports) {
      for (const scope of ["index", "delete", "inference"])
        expect((await scopedApp().ask(route, scope)).status).toBe(403)
    }
  })

  test("the parts that /health has names for needs the scope `search`", async () => {
    const route = { method: "GET", path: "/health?detail=1" }
    const statuses = []
    for (const key of [undefined, ...KeyScope.options]) statuses.push((await scopedApp().ask(route, key)).status)
    expect(statuses).toEqual([401, 200, 403, 403, 403])
  })
})
