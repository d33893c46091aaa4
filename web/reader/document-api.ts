import type { AnomalyPage } from "../../lib/documents/anomalies.ts"
import type { DocumentDetails } from "../../lib/documents/documents.ts"
import type { MentionPage } from "../../lib/documents/entities.ts"
import type { ChunkDetails, ChunkList, PageDetails, PageList, PageSummary } from "../../lib/documents/page-details.ts"
import { call } from "../api/call.ts"

/** Entries of one request for the list of pages: the most that the API gives. */
const PAGES_A_REQUEST = 1_000
/** Passages of one request: 50 of 1,400 characters are 100 KB. */
const PASSAGES_A_REQUEST = 50

const pathOf = (id: string, rest = ""): string => `/documents/${encodeURIComponent(id)}${rest}`

export const loadDocument = (signal: AbortSignal, id: string) => call<DocumentDetails>(pathOf(id), { signal })

/** All pages of a document, without what stands on them; none of one that has no pages. */
export async function loadPages(signal: AbortSignal, id: string): Promise<readonly PageSummary[]> {
  const pages: PageSummary[] = []
  let cursor: string | undefined
  do {
    const query = { limit: PAGES_A_REQUEST, cursor }
    const list: PageList = await call<PageList>(pathOf(id, "/pages"), { signal, query })
    pages.push(...list.pages)
    cursor = list.next_cursor
  } while (cursor !== undefined)
  return pages
}

export const loadPage = (id: string, page: number) => call<PageDetails>(pathOf(id, `/pages/${page}`))

export const loadPassage = (signal: AbortSignal, id: string, chunkId: string) =>
  call<ChunkDetails>(pathOf(id, `/chunks/${encodeURIComponent(chunkId)}`), { signal })

export const loadPassages = (signal: AbortSignal, id: string, cursor: string | undefined) =>
  call<ChunkList>(pathOf(id, "/chunks"), { signal, query: { limit: PASSAGES_A_REQUEST, cursor } })

export const loadMentions = (signal: AbortSignal, entityId: string, cursor?: string) =>
  call<MentionPage>(`/entities/${encodeURIComponent(entityId)}/mentions`, { signal, query: { limit: 50, cursor } })

export const loadFlagged = (signal: AbortSignal, document: string, cursor?: string) =>
  call<AnomalyPage>("/anomalies", { signal, query: { document, limit: 50, cursor } })
