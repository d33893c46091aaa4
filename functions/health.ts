import { once } from "../lib/once.ts"
import { createHealth } from "../lib/runtime/create-health.ts"
import { healthRoute } from "./http/health-route.ts"
import { foreignLater } from "./lambda/foreign-later.ts"
import { httpHandler } from "./lambda/http-handler.ts"
import { VERSION } from "./version.ts"

/** What has not shown that it is alive by then isn't, ms: API Gateway's caller waits. */
const TIMEOUT_MS = 5_000

/** `GET /health`. Loads the models' clients for `?detail=1` alone. */
export const handler = httpHandler((app, { config, database, guard }) => {
  const models = once(async () => (await import("./lambda/open-models.ts")).openModels(config))
  const foreign = foreignLater(config, database)
  const health = createHealth({ database, index: async () => foreign, models, timeoutMs: TIMEOUT_MS })
  app.route("/", healthRoute(health, { guard, version: VERSION }))
})
