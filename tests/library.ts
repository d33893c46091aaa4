import type * as z from "zod"
import { type Deadline, deadlineIn } from "../lib/deadline.ts"
import { loadQuestionDetector } from "../lib/detect-language.ts"
import { createDocuments, type Documents } from "../lib/documents/documents.ts"
import { createIndexDocuments, type IndexOutcome } from "../lib/documents/index-documents.ts"
import { IndexRequest } from "../lib/documents/index-request.ts"
import type { Embedder, Reranker } from "../lib/inference/inference.ts"
import { databaseCandidates } from "../lib/search/database-candidates.ts"
import { SearchRequest } from "../lib/search/request.ts"
import type { SearchHit, SearchResponse } from "../lib/search/response.ts"
import { createSearch, type SearchSettings } from "../lib/search/search.ts"
import { openTestDatabase, type TestDatabase } from "./database.ts"
import { createWordEmbedder } from "./word-embedder.ts"

export type IndexInput = z.input<typeof IndexRequest>
export type SearchInput = z.input<typeof SearchRequest>

/** What a search of a test may do without: the word embedder, no reranker, the settings of `SETTINGS`. */
interface Parts {
  readonly embedder?: Embedder | null
  readonly reranker?: Reranker | null
  readonly settings?: Partial<SearchSettings>
  readonly deadline?: Deadline
}

/** Indexing and searching over a real database, without HTTP. Each tenant is a library of its own. */
export interface Library extends TestDatabase {
  readonly documents: Documents
  /** Indexes and expects every document to succeed. */
  index(tenant: string, documents: readonly IndexInput[], parts?: Parts): Promise<void>
  /** Indexes and tells what became of each. */
  tryIndex(tenant: string, documents: readonly IndexInput[], parts?: Parts): Promise<readonly IndexOutcome[]>
  search(tenant: string, request: SearchInput, parts?: Parts): Promise<SearchResponse>
  /** Ids of the documents that a search finds, best first. */
  find(tenant: string, request: SearchInput | string, parts?: Parts): Promise<string[]>
  /** Every hit of every page. */
  page(tenant: string, request: SearchInput, parts?: Parts): Promise<SearchHit[]>
}

/** As `lib/config.ts` defaults them. */
const SETTINGS: SearchSettings = {
  searchStrategy: "rrf",
  searchDenseCandidates: 100,
  searchLexicalCandidates: 100,
  rerankCandidates: 15,
  retrievalLambda: 0.8,
  embedTimeoutMs: 3_000,
  rerankTimeoutMs: 3_000,
}

/** Opens a migrated database of its own with the product's indexing and search over it. */
export async function openLibrary(): Promise<Library> {
  const test = await openTestDatabase()
  const { database } = test
  const words = createWordEmbedder()

  const tryIndex: Library["tryIndex"] = async (tenant, documents, parts = {}) => {
    const indexDocuments = createIndexDocuments({ database, embedder: pick(parts.embedder, words) })
    const requests = documents.map((document) => IndexRequest.parse(document))
    return indexDocuments(tenant, requests, parts.deadline ?? deadlineIn(120_000))
  }
  const search: Library["search"] = async (tenant, request, parts = {}) => {
    const settings = { ...SETTINGS, ...parts.settings }
    const run = createSearch({
      find: databaseCandidates(database),
      embedder: pick(parts.embedder, words),
      reranker: parts.reranker ?? null,
      detector: loadQuestionDetector,
      settings,
    })
    const found = await run(tenant, SearchRequest.parse(request), parts.deadline ?? deadlineIn(60_000))
    return found.response
  }
  return {
    ...test,
    documents: createDocuments(database),
    tryIndex,
    search,
    async index(tenant, documents, parts) {
      for (const outcome of await tryIndex(tenant, documents, parts)) if ("failed" in outcome) throw outcome.failed
    },
    async find(tenant, request, parts) {
      const { results } = await search(tenant, typeof request === "string" ? { query: request } : request, parts)
      return results.map((hit) => hit.id)
    },
    async page(tenant, request, parts) {
      const hits: SearchHit[] = []
      let cursor: string | undefined
      do {
        const { results, next_cursor } = await search(tenant, { ...request, ...(cursor && { cursor }) }, parts)
        hits.push(...results)
        cursor = next_cursor
      } while (cursor !== undefined)
      return hits
    },
  }
}

/** Null is a choice: no model. */
function pick<T>(chosen: T | null | undefined, otherwise: T): T | null {
  return chosen === undefined ? otherwise : chosen
}
