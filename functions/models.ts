import { inferenceRoute } from "./http/inference-route.ts"
import { httpHandler } from "./lambda/http-handler.ts"
import { openModels } from "./lambda/open-models.ts"
import { openUsage } from "./lambda/open-usage.ts"

/** `POST /embed`, `POST /rerank` and `POST /v1/embeddings`. */
export const handler = httpHandler(async (app, { config, database, guard, log }) => {
  const { embeddingMeter: meter } = openUsage({ config, database, log })
  app.route("/", inferenceRoute(await openModels(config), { guard, timeoutMs: config.indexTimeoutMs, meter }))
})
