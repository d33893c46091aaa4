import type { Config } from "../../lib/config.ts"
import type { Database } from "../../lib/database/database.ts"
import { createAnomalies } from "../../lib/documents/anomalies.ts"
import { createDocumentPages } from "../../lib/documents/document-pages.ts"
import { openAnswers } from "../../lib/runtime/open-answers.ts"
import { openSearchedIndex } from "../../lib/runtime/open-searched-index.ts"
import { openSearching } from "../../lib/runtime/open-searching.ts"
import { pagesOverIndex } from "../../lib/runtime/pages-over-index.ts"
import { lambdaTenantModels } from "./lambda-tenant-models.ts"
import { openModels } from "./open-models.ts"
import { lambdaLog } from "./opening.ts"

/** What the functions that answer stand on: `answer` and `mcp`. */
export async function openAnswering(config: Config, database: Database) {
  const { embedder, reranker } = await openModels(config)
  // What keys were given to other tenants can't be seen from here; they are refused one by one.
  const searched = await openSearchedIndex(config, database, embedder, { tenants: async () => [] })
  const tenants = lambdaTenantModels(config, database, lambdaLog(config))
  // Searches go without a detector: its data is 1.6 MB, for models of one language.
  const { retrieve, evidence } = openSearching({
    database,
    searched,
    embedder,
    models: tenants,
    reranker,
    detector: null,
  })
  const pages = pagesOverIndex(createDocumentPages(database), { ...searched, timeoutMs: config.searchTimeoutMs })
  const anomalies = createAnomalies(database)
  const answers = openAnswers({ config, database, retrieve, evidence, pages, anomalies })
  return { models: { embedder, reranker }, searched, retrieve, pages, anomalies, answers }
}
