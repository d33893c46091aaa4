import type { ComponentChildren } from "preact"
import { readerPath } from "../parts/paths.ts"
import { useReaderRoom } from "./reader-room.ts"

interface PlaceLinkProps {
  readonly documentId: string
  readonly page: number | undefined
  readonly chunkId: string
  readonly onFollow?: () => void
  readonly children: ComponentChildren
}

/** A link to a passage. One of the document that is open is gone to without leaving it. */
export function PlaceLink({ documentId, page, chunkId, onFollow, children }: PlaceLinkProps) {
  const room = useReaderRoom()
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0) return
    onFollow?.()
    if (documentId !== room.documentId) return
    event.preventDefault()
    // The router listens on the window, and would take the address for one that it knows already.
    event.stopPropagation()
    room.go({ page: page ?? null, chunkId })
  }
  return (
    <a href={readerPath({ documentId, page, chunkId })} onClick={follow}>
      {children}
    </a>
  )
}
