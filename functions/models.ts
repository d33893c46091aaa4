import { inferenceRoute } from "./http/inference-route.ts"
import { httpHandler } from "./lambda/http-handler.ts"
import { openModels } from "./lambda/open-models.ts"

/** `POST /embed`, `POST /rerank` and `POST /v1/embeddings`. */
export const handler = httpHandler(async (app, { config, guard }) => {
  app.route("/", inferenceRoute(await openModels(config), { guard, timeoutMs: config.indexTimeoutMs }))
})
