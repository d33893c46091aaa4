import type { EvidenceDeps } from "../answers/extractive/gather-evidence.ts"
import type { Database } from "../database/database.ts"
import { loadQuestionDetector } from "../detect-language.ts"
import { createCachedEmbedder } from "../inference/cached-embedder.ts"
import { createRetrieve, type Retrieve } from "../search/retrieve.ts"
import { createSearch, type SearchDeps } from "../search/search.ts"
import { createCoverWords } from "../search/word-coverage.ts"
import type { SearchedIndex } from "./open-searched-index.ts"

interface SearchingParts extends Pick<SearchDeps, "embedder" | "models" | "reranker" | "detector"> {
  readonly database: Database
  readonly searched: SearchedIndex
}

/** The pipeline over an index. */
export interface Searching {
  /** What both stand on, for whoever measures searches. */
  readonly searchDeps: SearchDeps
  readonly retrieve: Retrieve
  /** `search` among it: what answers without a language model stand on. */
  readonly evidence: EvidenceDeps
}

/** Puts the pipeline on the index that searches read. Answers are refused in the question's language, `detector` or not. */
export function openSearching(parts: SearchingParts): Searching {
  const { database, searched, embedder, reranker, detector } = parts
  // Somebody else's index has its own vectors, by the model that the settings name.
  const models = searched.foreign ? undefined : parts.models
  const deps = { ...searched, models, embedder: embedder && createCachedEmbedder(embedder), reranker, detector }
  return {
    searchDeps: deps,
    retrieve: createRetrieve(deps),
    evidence: {
      ...deps,
      search: createSearch(deps),
      coverWords: createCoverWords(database),
      detector: loadQuestionDetector,
    },
  }
}
