import { createIndexDocuments } from "../lib/documents/index-documents.ts"
import { indexRoute } from "./http/index-route.ts"
import { httpHandler } from "./lambda/http-handler.ts"
import { lambdaTenantModels } from "./lambda/lambda-tenant-models.ts"
import { openModels } from "./lambda/open-models.ts"
import { openUsage } from "./lambda/open-usage.ts"

/** `POST /index` and `POST /index/batch`. */
export const handler = httpHandler(async (app, { config, database, guard, log }) => {
  const { embedder } = await openModels(config)
  const models = lambdaTenantModels(config, database, log)
  const { embeddingMeter: meter } = openUsage({ config, database, log })
  const indexDocuments = createIndexDocuments({ database, embedder, models, meter })
  app.route("/", indexRoute(indexDocuments, { guard, timeoutMs: config.indexTimeoutMs, log }))
})
