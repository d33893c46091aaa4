import type { PageSummary } from "../../lib/documents/page-details.ts"
import { useReaderRoom } from "./reader-room.ts"

/** What the address names and the document doesn't have. */
export function MissingNotice({ pages }: { readonly pages: readonly PageSummary[] }) {
  const room = useReaderRoom()
  const { page } = room.place.value
  const chunkId = room.missing.value
  const last = pages.at(-1)?.number
  const isNoPage = page !== null && !pages.some(({ number }) => number === page)
  if (chunkId === null && !isNoPage) return null
  const close = () => room.select(null, null)
  return (
    <div class="missing" role="alert">
      <p>
        {chunkId !== null && (
          <>
            <strong>There is no passage {chunkId}</strong> in this document: a newer version may have replaced it.{" "}
            {page !== null && !isNoPage && "This is the page that it was cited from. "}
          </>
        )}
        {isNoPage && last !== undefined && (
          <>
            <strong>There is no page {page}:</strong> the document ends on page {last}.
          </>
        )}
        {isNoPage && last === undefined && "This document has no pages; it is shown from its beginning."}
      </p>
      <button type="button" class="button-quiet" onClick={close}>
        Close
      </button>
    </div>
  )
}
