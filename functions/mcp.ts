import { createDocuments } from "../lib/documents/documents.ts"
import { createMcpServers } from "../lib/mcp/create-mcp-server.ts"
import { once } from "../lib/once.ts"
import { createHealth } from "../lib/runtime/create-health.ts"
import { storedBesideIndex } from "../lib/runtime/pages-over-index.ts"
import { mcpRoute } from "./http/mcp-route.ts"
import { createRunningCalls } from "./http/running-calls.ts"
import { streamHandler } from "./lambda/http-handler.ts"
import { openAnswering } from "./lambda/open-answering.ts"
import { VERSION } from "./version.ts"

/** What has not shown that it is alive by then isn't, ms. */
const HEALTH_TIMEOUT_MS = 5_000

/** `/mcp`: Streamable HTTP without state, so that any instance answers any request. */
export const handler = streamHandler(async (app, { config, database, guard, log }) => {
  const { models, searched, retrieve, pages, anomalies, answers } = await openAnswering(config, database)
  // The object store's client and what draws are loaded by the first picture that is asked for.
  const pictures = once(async () => (await import("./lambda/open-pictures.ts")).openPictures(config, pages))
  const createServer = createMcpServers({
    ...{ retrieve, anomalies, answer: answers.answer },
    documents: storedBesideIndex(createDocuments(database), searched),
    documentPages: pages,
    pagePictures: { part: async (...asked) => (await pictures()).part(...asked) },
    health: createHealth({
      ...{ database, index: async () => searched.foreign, models: async () => models },
      timeoutMs: HEALTH_TIMEOUT_MS,
    }),
    answerTimeoutMs: config.answerTimeoutMs,
    searchTimeoutMs: config.searchTimeoutMs,
    version: VERSION,
    log,
  })
  app.route("/", mcpRoute(createServer, { ...config, guard, calls: createRunningCalls(), log }))
})
