import { createAnomalies } from "../lib/documents/anomalies.ts"
import { createDocumentPages } from "../lib/documents/document-pages.ts"
import { createDocuments } from "../lib/documents/documents.ts"
import { createCachedEmbedder } from "../lib/inference/cached-embedder.ts"
import { createMcpServers } from "../lib/mcp/create-mcp-server.ts"
import { once } from "../lib/once.ts"
import { createHealth } from "../lib/runtime/create-health.ts"
import { placeholderAnswers } from "../lib/runtime/placeholder-answers.ts"
import { createRetrieve } from "../lib/search/retrieve.ts"
import packageJson from "../package.json" with { type: "json" }
import { mcpRoute } from "./http/mcp-route.ts"
import { createRunningCalls } from "./http/running-calls.ts"
import { streamHandler } from "./lambda/http-handler.ts"
import { openModels } from "./lambda/open-models.ts"

/** What has not shown that it is alive by then isn't, ms. */
const HEALTH_TIMEOUT_MS = 5_000

/** `/mcp`: Streamable HTTP without state, so that any instance answers any request. */
export const handler = streamHandler(async (app, { config, database, guard, log }) => {
  const { embedder, reranker } = await openModels(config)
  const pages = createDocumentPages(database)
  // The object store's client and what draws are loaded by the first picture that is asked for.
  const pictures = once(async () => (await import("./lambda/open-pictures.ts")).openPictures(config, pages))
  const createServer = createMcpServers({
    answer: placeholderAnswers.answer,
    retrieve: createRetrieve({
      database,
      embedder: embedder && createCachedEmbedder(embedder),
      reranker,
      // Its data is 1.6 MB, for models of one language, which run at home.
      detector: null,
      settings: config,
    }),
    documents: createDocuments(database),
    documentPages: pages,
    pagePictures: { part: async (...asked) => (await pictures()).part(...asked) },
    anomalies: createAnomalies(database),
    health: createHealth({ database, models: async () => ({ embedder, reranker }), timeoutMs: HEALTH_TIMEOUT_MS }),
    answerTimeoutMs: config.answerTimeoutMs,
    searchTimeoutMs: config.searchTimeoutMs,
    version: packageJson.version,
    log,
  })
  app.route("/", mcpRoute(createServer, { guard, calls: createRunningCalls(), log }))
})
