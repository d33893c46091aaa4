import { useState } from "preact/hooks"
import type { SearchHit, SearchResponse } from "../../lib/search/response.ts"
import type { Resource } from "../api/use-resource.ts"
import { CitationChip } from "../parts/citation-chip.tsx"
import { readerPath } from "../parts/paths.ts"
import { languageName } from "./language-name.ts"
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
        <ResultText hit={hit} />
        <div class="result-tools">
          <CitationChip citation={hit.citation} />
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

/** The passage, and in its second language where it has one: at once where no word of the first matched. */
function ResultText({ hit }: { readonly hit: SearchHit }) {
  const { translation, highlights } = hit
  const [isTranslated, setTranslated] = useState(translation !== undefined && highlights?.length === 0)
  return (
    <>
      <div class={isTranslated ? "result-texts result-texts-both" : "result-texts"}>
        <Passage text={hit.content} marks={highlights} language={hit.language} />
        {isTranslated && translation && <Passage text={translation.content} language={translation.language} />}
      </div>
      {translation && (
        <button
          type="button"
          class="button-quiet result-translate"
          aria-expanded={isTranslated}
          data-key="t"
          onClick={() => setTranslated(!isTranslated)}
        >
          {isTranslated
            ? `Hide the ${languageName(translation.language)}`
            : `Read it in ${languageName(translation.language)}`}
        </button>
      )}
    </>
  )
}
