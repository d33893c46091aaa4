import type { RefObject } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { Resource } from "../api/use-resource.ts"
import { Failure } from "../parts/states.tsx"
import { Compare } from "./compare.tsx"
import { Filters } from "./filters.tsx"
import { NoResults } from "./no-results.tsx"
import type { Ranking } from "./rankings.ts"
import { ResultSkeleton } from "./result-skeleton.tsx"
import { ResultCount, Results } from "./results.tsx"
import { filterCount, type SearchAddress, toRequest } from "./search-address.ts"
import type { DocumentList } from "./use-documents.ts"
import { useSearch } from "./use-search.ts"
import { ViewOptions } from "./view-options.tsx"

/** What is compared first. */
const COMPARED: readonly Ranking[] = ["both", "meaning", "words"]

interface SearchPageProps {
  readonly area: RefObject<HTMLElement | null>
  readonly address: SearchAddress
  readonly change: (address: SearchAddress) => void
  readonly library: Resource<DocumentList>
  readonly toBox: () => void
  readonly openHelp: () => void
  /** The first results stand there: what else the page wants can be loaded. */
  readonly onAnswered: () => void
}

/** What a question found, with the ways to look at it. */
export function SearchPage(props: SearchPageProps) {
  const { area, address, change, library, openHelp } = props
  const [isOpen, setOpen] = useState(false)
  const isComparing = address.compared.length > 0
  const count = filterCount(address)
  return (
    <div class="search-page" data-comparing={isComparing ? "" : undefined}>
      <div class="search-bar">
        <ViewOptions address={address} change={change} />
        <div class="search-bar-tools">
          <button
            type="button"
            class="button filters-button"
            aria-expanded={isOpen}
            aria-controls="filters"
            onClick={() => setOpen(!isOpen)}
          >
            Filters{count > 0 && ` (${count})`}
          </button>
          <button
            type="button"
            class="button-quiet"
            aria-pressed={isComparing}
            onClick={() => change({ ...address, compared: isComparing ? [] : COMPARED })}
          >
            {isComparing ? "One list" : "Compare rankings"}
          </button>
          <button type="button" class="button-quiet keys-button" onClick={openHelp} aria-label="Keyboard shortcuts">
            <kbd>?</kbd>
          </button>
        </div>
      </div>
      <div id="filters" class="search-filters" data-open={isOpen ? "" : undefined}>
        <Filters address={address} change={change} list={library.value} />
      </div>
      <section ref={area} class="search-found" aria-label="What was found">
        {isComparing ? <Compared {...props} /> : <Found {...props} />}
      </section>
    </div>
  )
}

function Compared({ address, change, toBox, onAnswered }: SearchPageProps) {
  useEffect(onAnswered, [])
  return <Compare address={address} change={change} toBox={toBox} />
}

function Found({ address, change, library, toBox, onAnswered }: SearchPageProps) {
  const searching = useSearch(toRequest(address))
  const { state, pages, failure, reload } = searching
  const isEmpty = state === "ready" && pages[0]?.count === 0
  useEffect(() => {
    if (state !== "loading") onAnswered()
  }, [state])
  return (
    <>
      <ResultCount address={address} searching={searching} />
      {state === "failed" && failure && <Failure failure={failure} retry={reload} />}
      {state === "loading" && pages.length === 0 && <ResultSkeleton />}
      {isEmpty && <NoResults address={address} documents={library.value?.documents ?? []} change={change} />}
      {pages.length > 0 && !isEmpty && (
        <Results address={address} searching={searching} change={change} toBox={toBox} />
      )}
    </>
  )
}
