import { useCallback, useRef, useState } from "preact/hooks"
import type { DocumentPage, DocumentSummary } from "../../lib/documents/documents.ts"
import type { ApiFailure } from "../api/api-failure.ts"
import { call } from "../api/call.ts"
import { keysGiven, tenant } from "../api/session.ts"
import { useResource } from "../api/use-resource.ts"

/** Documents of one request; the server gives at most 200. */
const PAGE = 100

/** The documents that were loaded so far, in order of id. */
export interface LoadedDocuments {
  /** Undefined until there is something; it stays while it is loaded anew. */
  readonly documents: readonly DocumentSummary[] | undefined
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly failure: ApiFailure | undefined
  readonly loadMore: () => void
  /** Loads all that is shown once more. */
  readonly reload: () => void
}

/** Loads the library page by page. */
export function useDocuments(): LoadedDocuments {
  const [pagesWanted, setPagesWanted] = useState(1)
  const [version, setVersion] = useState(0)
  const held = useRef<{ of: string; pages: DocumentPage[] }>({ of: "", pages: [] })
  const { value, state, failure } = useResource([pagesWanted, version] as const, async (signal, wanted, version) => {
    const of = `${version} ${tenant.peek()} ${keysGiven.peek()}`
    const pages = held.current.of === of ? [...held.current.pages] : []
    while (pages.length < wanted && (pages.length === 0 || pages.at(-1)?.next_cursor !== undefined)) {
      const query = { limit: PAGE, cursor: pages.at(-1)?.next_cursor }
      pages.push(await call<DocumentPage>("/documents", { query, signal }))
    }
    held.current = { of, pages }
    return pages
  })
  return {
    documents: value?.flatMap(({ documents }) => documents),
    hasMore: value?.at(-1)?.next_cursor !== undefined,
    isLoading: state === "loading",
    failure,
    loadMore: useCallback(() => setPagesWanted((count) => count + 1), []),
    reload: useCallback(() => setVersion((count) => count + 1), []),
  }
}
