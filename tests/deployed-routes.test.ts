import { expect, test } from "vitest"
import { createTestApp } from "../functions/http/test-app.ts"
import { webRoute } from "../functions/http/web-route.ts"
import { apiRoutes, streamedPaths } from "../infra/routes.ts"

/** MCP over SSE keeps its sessions in the process. */
const ONLY_ON_NODE = ["/sse", "/messages"]

test("every route of the service is deployed, and no other", () => {
  const { app } = createTestApp()
  const served = app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => ({ method, path: path.replace(/:(\w+)/g, "{$1}") }))
  const roots = Object.values(streamedPaths).flat()
  const isStreamed = (path: string) => roots.some((root) => path === root || path.startsWith(`${root}/`))
  const isElsewhere = (path: string) => isStreamed(path) || ONLY_ON_NODE.includes(path)
  const byGateway = served.filter(({ path }) => !isElsewhere(path)).map(({ method, path }) => `${method} ${path}`)
  const deployed: readonly string[] = Object.values(apiRoutes).flat()
  // Files of the reference come by one route; those of the reading room from a bucket.
  const asDeployed = (route: string) => route.replace(/^GET \/docs\/.+/, "GET /docs/{file}")
  const ofReadingRoom = webRoute("").routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
  const ofApi = byGateway.filter((route) => !ofReadingRoom.includes(route))
  expect([...new Set(ofApi.map(asDeployed))].sort()).toEqual(deployed.filter((route) => route !== "$default").sort())
  const paths: readonly string[] = app.routes.map(({ path }) => path)
  for (const root of roots) expect(paths).toContain(root)
})
