import type { Config } from "../../lib/config.ts"
import type { Database } from "../../lib/database/database.ts"
import { loadQuestionDetector } from "../../lib/detect-language.ts"
import { createAnomalies } from "../../lib/documents/anomalies.ts"
import { createDocumentPages } from "../../lib/documents/document-pages.ts"
import { createCachedEmbedder } from "../../lib/inference/cached-embedder.ts"
import { openAnswers } from "../../lib/runtime/open-answers.ts"
import { createRetrieve } from "../../lib/search/retrieve.ts"
import { createSearch } from "../../lib/search/search.ts"
import { createCoverWords } from "../../lib/search/word-coverage.ts"
import { openModels } from "./open-models.ts"

/** What the functions that answer stand on: `answer` and `mcp`. */
export async function openAnswering(config: Config, database: Database) {
  const { embedder, reranker } = await openModels(config)
  const searching = {
    ...{ database, reranker, settings: config },
    embedder: embedder && createCachedEmbedder(embedder),
    // Searches go without it: its data is 1.6 MB, for models of one language. An answer is refused in the question's.
    detector: null,
  }
  const retrieve = createRetrieve(searching)
  const pages = createDocumentPages(database)
  const anomalies = createAnomalies(database)
  const evidence = {
    ...searching,
    detector: loadQuestionDetector,
    search: createSearch(searching),
    coverWords: createCoverWords(database),
  }
  const answers = openAnswers({ config, database, retrieve, evidence, pages, anomalies })
  return { models: { embedder, reranker }, retrieve, pages, anomalies, answers }
}
