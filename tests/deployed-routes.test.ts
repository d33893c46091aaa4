import { expect, test } from "vitest"
import { createTestApp } from "../functions/http/test-app.ts"
import { apiRoutes, streamedPaths } from "../infra/routes.ts"

test("every route of the service is deployed, and no other", () => {
  const { app } = createTestApp()
  const served = app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => ({ method, path: path.replace(/:(\w+)/g, "{$1}") }))
  const isStreamed = (path: string) => streamedPaths.answer.some((root) => path === root || path.startsWith(`${root}/`))
  const byGateway = served.filter(({ path }) => !isStreamed(path)).map(({ method, path }) => `${method} ${path}`)
  const deployed: readonly string[] = Object.values(apiRoutes).flat()
  // Files of the pages come by one route.
  const asDeployed = (route: string) => route.replace(/^GET \/assets\/.+/, "GET /assets/{file}")
  expect([...new Set(byGateway.map(asDeployed))].sort()).toEqual(
    deployed.filter((route) => route !== "$default").sort(),
  )
  for (const root of streamedPaths.answer) expect(served.map(({ path }) => path)).toContain(root)
})
