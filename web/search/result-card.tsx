import { useState } from "preact/hooks"
import type { SearchHit, SearchResponse } from "../../lib/search/response.ts"
import type { Resource } from "../api/use-resource.ts"
import { CitationChip } from "../parts/citation-chip.tsx"
import { languageName } from "../parts/format.ts"
import { readerPath } from "../parts/paths.ts"
import { PageThumbnail } from "./page-thumbnail.tsx"
import { Passage } from "./passage.tsx"
import { ResultFacts } from "./result-facts.tsx"
import { WhyRanked } from "./why-ranked.tsx"

interface ResultCardProps {
  readonly hit: SearchHit
  /** From 1. */
  readonly place: number
  readonly explained: Resource<SearchResponse>
  /** Has the ranks looked up; once for all results. */
  readonly wantExplained: () => void
  /** Searches this document alone; absent where that is done already. */
  readonly within?: (() => void) | undefined
}

/** One result: where it stands, what it says, what to do with it. */
export function ResultCard({ hit, place, explained, wantExplained, within }: ResultCardProps) {
  const href = readerPath({
    documentId: hit.id,
    chunkId: hit.chunk_id,
    ...(hit.page !== undefined && { page: hit.page }),
  })
  const [isWhyOpen, setWhyOpen] = useState(false)
  // At once where no word of the first language matched: it was asked in the other.
  const [isTranslated, setTranslated] = useState(hit.translation !== undefined && hit.highlights?.length === 0)
  const openWhy = () => {
    wantExplained()
    setWhyOpen(!isWhyOpen)
  }
  return (
    <li class="result" data-place={place} data-pictured={hit.crop_url === undefined ? undefined : ""}>
      <article aria-labelledby={`result-${place}`}>
        <h2 class="result-title" id={`result-${place}`}>
          <a href={href} data-result dir="auto">
            {hit.title.trim() || hit.id}
          </a>
        </h2>
        <ResultFacts hit={hit} />
        <ResultText hit={hit} isTranslated={isTranslated} />
        <div class="result-tools">
          <CitationChip citation={hit.citation} />
          {hit.translation && (
            <button
              type="button"
              class="button-quiet"
              aria-expanded={isTranslated}
              data-key="t"
              onClick={() => setTranslated(!isTranslated)}
            >
              {isTranslated ? "Hide the" : "Read it in"} {languageName(hit.translation.language)}
            </button>
          )}
          <button type="button" class="button-quiet" aria-expanded={isWhyOpen} data-key="w" onClick={openWhy}>
            Why it ranked {place === 1 ? "first" : "here"}
          </button>
          {within && (
            <button type="button" class="button-quiet" onClick={within}>
              Search within
            </button>
          )}
        </div>
        {isWhyOpen && <WhyRanked hit={hit} explained={explained} />}
      </article>
      <PageThumbnail hit={hit} href={href} />
    </li>
  )
}

/** The passage, and beside it the same in its second language. */
function ResultText({ hit, isTranslated }: { readonly hit: SearchHit; readonly isTranslated: boolean }) {
  const { content, highlights, language, translation } = hit
  return (
    <div class={isTranslated ? "result-texts result-texts-both" : "result-texts"}>
      <Passage text={content} marks={highlights} language={language} />
      {isTranslated && translation && <Passage text={translation.content} language={translation.language} />}
    </div>
  )
}
