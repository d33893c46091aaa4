import { createAnomalies } from "../lib/documents/anomalies.ts"
import { createDocumentPages } from "../lib/documents/document-pages.ts"
import { createCachedEmbedder } from "../lib/inference/cached-embedder.ts"
import { openAnswers } from "../lib/runtime/open-answers.ts"
import { createRetrieve } from "../lib/search/retrieve.ts"
import { createSearch } from "../lib/search/search.ts"
import { createCoverWords } from "../lib/search/word-coverage.ts"
import { answerRoute } from "./http/answer-route.ts"
import { streamHandler } from "./lambda/http-handler.ts"
import { openModels } from "./lambda/open-models.ts"

/** `POST /answer`, `POST /chat` and `GET /answer/graph`, streamed. */
export const handler = streamHandler(async (app, { config, log, database, guard }) => {
  const { embedder, reranker } = await openModels(config)
  const searching = {
    database,
    embedder: embedder && createCachedEmbedder(embedder),
    reranker,
    // Its data is 1.6 MB, for models of one language, which run at home.
    detector: null,
    settings: config,
  }
  const answers = openAnswers({
    ...{ config, database, retrieve: createRetrieve(searching) },
    evidence: { ...searching, search: createSearch(searching), coverWords: createCoverWords(database) },
    pages: createDocumentPages(database),
    anomalies: createAnomalies(database),
  })
  app.route("/", answerRoute(answers, { guard, timeoutMs: config.answerTimeoutMs, log }))
})
