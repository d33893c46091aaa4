import { once } from "../lib/once.ts"
import { createHealth } from "../lib/runtime/create-health.ts"
import packageJson from "../package.json" with { type: "json" }
import { healthRoute } from "./http/health-route.ts"
import { httpHandler } from "./lambda/http-handler.ts"

/** What has not shown that it is alive by then isn't, ms: API Gateway's caller waits. */
const TIMEOUT_MS = 5_000

/** `GET /health`. Loads the models' clients for `?detail=1` alone. */
export const handler = httpHandler((app, { config, database, guard }) => {
  const models = once(async () => (await import("./lambda/open-models.ts")).openModels(config))
  const opened = once(async () => {
    const { openSearchedIndex } = await import("../lib/runtime/open-searched-index.ts")
    return openSearchedIndex(config, database, null, { tenants: async () => [] })
  })
  const index = async () => (config.vectordbProvider === "concordance" ? null : (await opened()).foreign)
  app.route(
    "/",
    healthRoute(createHealth({ database, index, models, timeoutMs: TIMEOUT_MS }), {
      guard,
      version: packageJson.version,
    }),
  )
})
