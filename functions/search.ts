import { createCachedEmbedder } from "../lib/inference/cached-embedder.ts"
import { databaseCandidates } from "../lib/search/database-candidates.ts"
import { createSearch } from "../lib/search/search.ts"
import { searchRoute } from "./http/search-route.ts"
import { httpHandler } from "./lambda/http-handler.ts"
import { openModels } from "./lambda/open-models.ts"

/** `POST /search`. */
export const handler = httpHandler(async (app, { config, database, guard }) => {
  const { embedder, reranker } = await openModels(config)
  const search = createSearch({
    find: databaseCandidates(database),
    embedder: embedder && createCachedEmbedder(embedder),
    reranker,
    // Its data is 1.6 MB, for models of one language, which run at home.
    detector: null,
    settings: config,
  })
  app.route("/", searchRoute(search, { guard, timeoutMs: config.searchTimeoutMs }))
})
