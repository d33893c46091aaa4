import { createCachedEmbedder } from "../lib/inference/cached-embedder.ts"
import { openSearchedIndex } from "../lib/runtime/open-searched-index.ts"
import { servedSearch } from "../lib/runtime/served-calls.ts"
import { createFeedback } from "../lib/search/feedback.ts"
import { createSearch } from "../lib/search/search.ts"
import { feedbackRoute } from "./http/feedback-route.ts"
import { searchRoute } from "./http/search-route.ts"
import { httpHandler } from "./lambda/http-handler.ts"
import { lambdaTenantModels } from "./lambda/lambda-tenant-models.ts"
import { openModels } from "./lambda/open-models.ts"
import { openUsage } from "./lambda/open-usage.ts"

/** `POST /search` and `POST /feedback`. */
export const handler = httpHandler(async (app, { config, database, guard, log }) => {
  const { embedder, reranker } = await openModels(config)
  // What keys were given to other tenants can't be seen from here; they are refused one by one.
  const searched = await openSearchedIndex(config, database, embedder, { tenants: async () => [] })
  const search = createSearch({
    ...searched,
    embedder: embedder && createCachedEmbedder(embedder),
    models: searched.foreign ? undefined : lambdaTenantModels(config, database, log),
    reranker,
    // Its data is 1.6 MB, for models of one language, which run at home.
    detector: null,
  })
  const { count } = openUsage({ config, database, log })
  app.route("/", searchRoute(servedSearch(search, { count }), { guard, timeoutMs: config.searchTimeoutMs }))
  app.route("/", feedbackRoute(createFeedback(database), { guard }))
})
