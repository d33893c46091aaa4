import { useState } from "preact/hooks"
import type { ChunkDetails, PageSummary } from "../../lib/documents/page-details.ts"
import { Passage } from "./passage.tsx"
import { passageId } from "./passage-id.ts"
import { isPartOf, useReaderRoom } from "./reader-room.ts"

interface ContinuedPassageProps {
  readonly chunk: ChunkDetails
  readonly page: PageSummary
  /** Nothing else stands on this page. */
  readonly isOpen: boolean
}

/** A passage that began on a page before: its text is there already, and here on demand, whole. */
export function ContinuedPassage({ chunk, page, isOpen }: ContinuedPassageProps) {
  const room = useReaderRoom()
  const [opened, setOpened] = useState(isOpen)
  const begun = chunk.page ?? 1
  const isShown = opened || isPartOf(chunk, room.selected.value)
  return (
    <div class="continued" id={isShown ? undefined : passageId(page.number, chunk.id)}>
      <p class="continued-note">
        <span>A passage that begins on page {begun} goes on here.</span>
        <button type="button" class="button-quiet" onClick={() => room.go({ page: begun, chunkId: chunk.id })}>
          Go to its beginning
        </button>
        {!isShown && (
          <button type="button" class="button-quiet" aria-expanded={false} onClick={() => setOpened(true)}>
            Show it here too
          </button>
        )}
      </p>
      {isShown && <Passage chunk={chunk} page={page} />}
    </div>
  )
}
