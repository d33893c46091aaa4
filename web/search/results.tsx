import { useEffect, useRef, useState } from "preact/hooks"
import type { SearchHit, SearchResponse } from "../../lib/search/response.ts"
import { call } from "../api/call.ts"
import { useResource } from "../api/use-resource.ts"
import { BusyButton } from "../parts/busy-button.tsx"
import { countOf } from "../parts/format.ts"
import { Notes } from "../parts/states.tsx"
import { moveInList } from "./move-in-list.ts"
import { RANKINGS } from "./rankings.ts"
import { ResultCard } from "./result-card.tsx"
import { type SearchAddress, toRequest } from "./search-address.ts"
import { isShortcut } from "./single-keys.ts"
import { rememberOpened, useReturn } from "./use-return.ts"
import type { Searching } from "./use-search.ts"

interface ResultsProps {
  readonly address: SearchAddress
  readonly searching: Searching
  readonly change: (address: SearchAddress) => void
  readonly toBox: () => void
}

/** The results of one search, best first, page after page. */
export function Results({ address, searching, change, toBox }: ResultsProps) {
  const { pages, state, more, moreState } = searching
  const hits = pages.flatMap(({ results }) => results)
  const { explained, want } = useExplained(address)
  const list = useRef<HTMLOListElement>(null)
  useReturn(list, hits)
  const hasMore = pages.at(-1)?.next_cursor !== undefined
  const keys = (event: KeyboardEvent) => {
    if (!isShortcut(event)) return
    if (event.key === "w" || event.key === "t" || event.key === "c") pressIn(event)
    else moveInList(event.currentTarget as HTMLElement, event, toBox)
  }
  return (
    <div class="results" aria-busy={state === "loading"}>
      <Notes notes={notesOf(pages)} />
      <ol
        ref={list}
        class="result-list"
        aria-label="Results"
        onKeyDown={keys}
        onClick={(event) => rememberOpened(event, hits)}
      >
        {hits.map((hit, index) => (
          <ResultCard
            key={hit.citation}
            hit={hit}
            place={index + 1}
            explained={explained}
            wantExplained={want}
            within={withinOf(hit, address, change)}
          />
        ))}
      </ol>
      {hasMore && (
        <p class="results-more">
          <BusyButton class="button" isBusy={moreState === "loading"} onClick={more}>
            {moreState === "loading" ? "Loading…" : moreState === "failed" ? "That failed: try again" : "More results"}
          </BusyButton>
        </p>
      )}
    </div>
  )
}

/** How many results stand there, and by what they are ranked; also said to who doesn't see them. */
export function ResultCount({ address, searching }: Pick<ResultsProps, "address" | "searching">) {
  const { state, pages } = searching
  const count = pages.reduce((sum, page) => sum + page.count, 0)
  const isWhole = pages.at(-1)?.next_cursor === undefined
  const what = countOf(count, address.unit)
  const text =
    state === "failed"
      ? ""
      : state === "loading"
        ? "Searching…"
        : count === 0
          ? "Nothing found"
          : isWhole
            ? what
            : `The first ${what}`
  return (
    <p class="result-count" role="status">
      {text}
      {state === "ready" && count > 0 && <small> ranked by {RANKINGS[address.ranking].name.toLowerCase()}</small>}
    </p>
  )
}

/** The lists behind the order: asked for once, when the first result is asked why. */
function useExplained(address: SearchAddress) {
  const body = { ...toRequest(address), highlight: false, explain: true }
  const identity = JSON.stringify(body)
  const [wanted, setWanted] = useState("")
  useEffect(() => setWanted(""), [identity])
  const explained = useResource(wanted === identity ? [body] : null, (signal, asked) =>
    call<SearchResponse>("/search", { body: asked, signal }),
  )
  return { explained, want: () => setWanted(identity) }
}

function withinOf({ id }: SearchHit, address: SearchAddress, change: ResultsProps["change"]) {
  if (address.documents.length === 1 && address.documents[0] === id && address.unit === "passage") return undefined
  return () => change({ ...address, documents: [id], unit: "passage" })
}

/** Presses the button of the result in focus that a letter stands for. */
function pressIn(event: KeyboardEvent): void {
  const result = (event.target as Element).closest("li[data-place]")
  const selector = event.key === "c" ? ".citation button" : `[data-key="${event.key}"]`
  const button = result?.querySelector<HTMLButtonElement>(selector)
  if (!button) return
  event.preventDefault()
  button.click()
}

function notesOf(pages: readonly SearchResponse[]): readonly string[] {
  return [...new Set(pages.flatMap(({ degraded = [], warnings = [] }) => [...degraded, ...warnings]))]
}
