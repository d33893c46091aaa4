import type { DocumentPage, DocumentSummary } from "../../lib/documents/documents.ts"
import { call } from "../api/call.ts"
import { type Resource, useResource } from "../api/use-resource.ts"

/** Most documents of one answer of `GET /documents`, and most answers: a filter by name among 1,000 is enough. */
const PAGE_DOCUMENTS = 200
const PAGES_MAX = 5

/** The documents that a tenant holds. */
export interface DocumentList {
  /** In order of id. */
  readonly documents: readonly DocumentSummary[]
  /** False where there are more than these. */
  readonly isWhole: boolean
}

/** The collection's documents; not asked for before `wanted`. */
export function useDocuments(wanted: boolean): Resource<DocumentList> {
  return useResource(wanted ? [] : null, loadDocuments)
}

async function loadDocuments(signal: AbortSignal): Promise<DocumentList> {
  const documents: DocumentSummary[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer: DocumentPage = await call("/documents", { query: { limit: PAGE_DOCUMENTS, cursor }, signal })
    documents.push(...answer.documents)
    cursor = answer.next_cursor
    if (cursor === undefined) break
  }
  return { documents, isWhole: cursor === undefined }
}
