import type { ChunkDetails, PageSummary } from "../../lib/documents/page-details.ts"
import { ContinuedPassage } from "./continued-passage.tsx"
import { LanguageHeads } from "./language-heads.tsx"
import { Passage } from "./passage.tsx"

interface PassagesProps {
  readonly page: PageSummary
  /** In reading order. */
  readonly chunks: readonly ChunkDetails[]
}

/** The text of one page. */
export function Passages({ page, chunks }: PassagesProps) {
  if (chunks.length === 0) return <p class="page-empty">There is no text on this page.</p>
  const begins = ({ page: first }: ChunkDetails) => first === undefined || first === page.number
  // A page that one passage fills from the page before would else be empty.
  const isOpen = !chunks.some(begins)
  return (
    <>
      <LanguageHeads chunks={chunks} />
      {chunks.map((chunk) =>
        begins(chunk) ? (
          <Passage key={chunk.id} chunk={chunk} page={page} />
        ) : (
          <ContinuedPassage key={chunk.id} chunk={chunk} page={page} isOpen={isOpen} />
        ),
      )}
    </>
  )
}
