import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { useLocation, useRoute } from "preact-iso"
import type { PageDetails, PageSummary } from "../../lib/documents/page-details.ts"
import { useResource } from "../api/use-resource.ts"
import { Empty, Failure, Loading } from "../parts/states.tsx"
import { useTitle } from "../parts/use-title.ts"
import { loadPage, loadPages } from "./document-api.ts"
import { DocumentHead } from "./document-head.tsx"
import { FlowReader } from "./flow-reader.tsx"
import { MissingNotice } from "./missing-notice.tsx"
import { NamesPanel } from "./names-panel.tsx"
import { createPageCache, type PageCache } from "./page-cache.ts"
import { PagedReader } from "./paged-reader.tsx"
import "./reader.css"
import "./page.css"
import "./passage.css"
import { ReaderBar } from "./reader-bar.tsx"
import { createReaderRoom, ReaderRoomProvider, useReaderRoom } from "./reader-room.ts"
import { useDocument } from "./use-document.ts"

/** `/d/{document}` and `/d/{document}/p007#c0042`: a document, open at a page and a passage. */
export function ReaderView() {
  const documentId = useRoute().params["document"] ?? ""
  const { url } = useLocation()
  const room = useMemo(() => createReaderRoom(documentId), [documentId])
  useEffect(() => {
    room.follow()
    const before = history.scrollRestoration
    history.scrollRestoration = "manual"
    addEventListener("popstate", room.follow)
    addEventListener("hashchange", room.follow)
    return () => {
      history.scrollRestoration = before
      removeEventListener("popstate", room.follow)
      removeEventListener("hashchange", room.follow)
    }
  }, [room, url])
  return (
    <ReaderRoomProvider value={room} key={documentId}>
      <Reader />
    </ReaderRoomProvider>
  )
}

function Reader() {
  const room = useReaderRoom()
  const document = useDocument(room.documentId)
  const renewals = useRenewals(document.value?.updated_at)
  const pages = useResource([room.documentId, renewals] as const, (signal, id: string, _: number) =>
    loadPages(signal, id),
  )
  const cache = useMemo(() => {
    const cache = createPageCache((page) => loadPage(room.documentId, page))
    // That of the address is asked for beside the list that it stands in.
    const { page } = room.place.peek()
    if (page !== null) cache.get(page).catch(() => null)
    return cache
  }, [renewals])
  useTitle(document.value?.title ?? "Reader")
  if (document.failure?.code === "not_found") return <NoDocument />
  if (!document.value) {
    return (
      <>
        <h1 class="visually-hidden">Reader</h1>
        {document.failure && <Failure failure={document.failure} retry={document.reload} />}
        {!document.failure && <Loading what="The document is loading" lines={8} />}
      </>
    )
  }
  return (
    <article class="reader">
      <DocumentHead document={document.value} />
      {pages.failure && !pages.value && <Failure failure={pages.failure} retry={pages.reload} />}
      {!pages.value && !pages.failure && <Loading what="Its pages are loading" lines={8} />}
      {pages.value && <Content pages={pages.value} cache={cache} isEmpty={document.value.chunks === 0} />}
      <NamesPanel />
      <p class="visually-hidden" role="status">
        {room.said.value}
      </p>
    </article>
  )
}

/** How often another version was published since the reader was opened. */
function useRenewals(updatedAt: string | undefined): number {
  const [renewals, setRenewals] = useState(0)
  const known = useRef(updatedAt)
  useEffect(() => {
    if (known.current !== undefined && known.current !== updatedAt) setRenewals((times) => times + 1)
    known.current = updatedAt
  }, [updatedAt])
  return renewals
}

interface ContentProps {
  readonly pages: readonly PageSummary[]
  readonly cache: PageCache<PageDetails>
  readonly isEmpty: boolean
}

function Content({ pages, cache, isEmpty }: ContentProps) {
  if (pages.length === 0 && isEmpty) return null
  return (
    <>
      <div class="reader-bar">
        <ReaderBar pages={pages} />
        <MissingNotice pages={pages} />
      </div>
      {pages.length > 0 ? <PagedReader pages={pages} cache={cache} /> : <FlowReader />}
    </>
  )
}

function NoDocument() {
  return (
    <>
      <h1 class="visually-hidden">Reader</h1>
      <Empty title="There is no such document">
        <p>It may have been deleted, or the address is incomplete.</p>
        <p class="notice-actions">
          <a class="button" href="/library">
            See what the library holds
          </a>
          <a class="button" href="/">
            Search
          </a>
        </p>
      </Empty>
    </>
  )
}
