import "./library.css"
import { useEffect, useRef } from "preact/hooks"
import type { CollectionResponse } from "../../functions/http/collection-route.ts"
import { call } from "../api/call.ts"
import { useResource } from "../api/use-resource.ts"
import { countOf } from "../parts/format.ts"
import { useTitle } from "../parts/use-title.ts"
import { Catalogue } from "./catalogue.tsx"
import { UploadDesk } from "./upload-desk.tsx"
import { UploadList } from "./upload-list.tsx"
import { uploadLimits, uploads } from "./upload-queue.ts"
import { useDocuments } from "./use-documents.ts"

/** What the collection holds; documents come in and go here. */
export function LibraryView() {
  useTitle("Library")
  const loaded = useDocuments()
  const totals = useResource([] as const, (signal) => call<CollectionResponse>("/collection", { signal }))
  const reload = () => {
    loaded.reload()
    totals.reload()
  }
  useOnUploads(reload)
  useLimits(totals.value)
  return (
    <div class="library">
      <header class="library-head">
        <h1>Library</h1>
        <p class="library-totals">{totals.value ? totalsOf(totals.value) : "\u00a0"}</p>
      </header>
      <UploadDesk />
      <UploadList />
      <Catalogue loaded={loaded} total={totals.value?.documents ?? null} onDeleted={reload} />
    </div>
  )
}

function totalsOf({ documents, passages, pages, waiting, failed }: CollectionResponse): string {
  const parts = [countOf(documents, "document"), countOf(passages, "passage")]
  if (pages > 0) parts.push(countOf(pages, "page"))
  if (waiting > 0) parts.push(`${waiting} being read`)
  if (failed > 0) parts.push(`${failed} failed`)
  return parts.join(" · ")
}

/** The list is another one once the server has a file, and once it has read it. */
function useOnUploads(reload: () => void): void {
  const seen = uploads.value.map(({ id, state }) => (id === undefined ? "" : `${id} ${state.stage}`)).join("\n")
  // What was there when the view opened, its own first load knows.
  const known = useRef(seen)
  useEffect(() => {
    if (seen === known.current) return
    known.current = seen
    if (seen.trim() !== "") reload()
  }, [seen])
}

function useLimits(totals: CollectionResponse | undefined): void {
  useEffect(() => {
    if (totals) uploadLimits.value = totals.upload
  }, [totals])
}
