import { createDocuments } from "../lib/documents/documents.ts"
import { createPostgresLimits } from "../lib/limits/postgres-limits.ts"
import { admitTenants, createRates } from "../lib/limits/rates.ts"
import { createMcpServers } from "../lib/mcp/create-mcp-server.ts"
import { once } from "../lib/once.ts"
import { createHealth } from "../lib/runtime/create-health.ts"
import { storedBesideIndex } from "../lib/runtime/pages-over-index.ts"
import { servedAnswers, servedPictures, servedSearch } from "../lib/runtime/served-calls.ts"
import { mcpRoute } from "./http/mcp-route.ts"
import { createRunningCalls } from "./http/running-calls.ts"
import { streamHandler } from "./lambda/http-handler.ts"
import { openAnswering } from "./lambda/open-answering.ts"
import { openUsage } from "./lambda/open-usage.ts"
import { VERSION } from "./version.ts"

/** What has not shown that it is alive by then isn't, ms. */
const HEALTH_TIMEOUT_MS = 5_000

/** `/mcp`: Streamable HTTP without state, so that any instance answers any request. */
export const handler = streamHandler(async (app, { config, database, guard, log }) => {
  const { models, searched, retrieve, pages, anomalies, answers } = await openAnswering(config, database)
  const { count } = openUsage({ config, database, log })
  // The object store's client and what draws are loaded by the first picture that is asked for.
  const pictures = once(async () => (await import("./lambda/open-pictures.ts")).openPictures(config, pages))
  const createServer = createMcpServers({
    retrieve: servedSearch(retrieve, { count }),
    answer: servedAnswers(answers, { count }).answer,
    anomalies,
    admit: admitTenants(createRates(createPostgresLimits(database), config)),
    documents: storedBesideIndex(createDocuments(database), searched),
    documentPages: pages,
    pagePictures: servedPictures({ part: async (...asked) => (await pictures()).part(...asked) }, count),
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
