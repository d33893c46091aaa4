import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { PageDetails, PageSummary } from "../../lib/documents/page-details.ts"
import { type ApiFailure, asFailure } from "../api/api-failure.ts"
import { keysGiven } from "../api/session.ts"
import { SaveButton } from "../parts/save-button.tsx"
import { Loading } from "../parts/states.tsx"
import type { PageCache } from "./page-cache.ts"
import { PagePicture } from "./page-picture.tsx"
import type { PageWindow } from "./page-window.ts"
import { Passages } from "./passages.tsx"
import { useReaderRoom } from "./reader-room.ts"

interface PageSectionProps {
  readonly page: PageSummary
  readonly index: number
  readonly count: number
  readonly cache: PageCache<PageDetails>
  readonly view: PageWindow
}

/** A page that is scrolled past faster than this isn't loaded, ms. */
const PASSING_MS = 90

/** One page: its picture beside its text. */
export function PageSection({ page, index, count, cache, view }: PageSectionProps) {
  const room = useReaderRoom()
  const section = useRef<HTMLElement>(null)
  const { details, failure, retry } = useDetails(page.number, cache, view)
  // Before the list settles: a height that nobody knows yet would have it choose other pages, and again, for ever.
  useLayoutEffect(() => {
    view.place(index, section.current)
    return () => view.place(index, null)
  }, [view, index])
  const name = `${room.documentId}-p${String(page.number).padStart(3, "0")}`
  return (
    <section ref={section} class="page" aria-labelledby={`page-${page.number}`}>
      <header class="page-head">
        <h2 id={`page-${page.number}`} tabIndex={-1}>
          Page {page.number} <small>of {count}</small>
        </h2>
        <PageSource page={page} />
        {page.image_url && (
          <span class="page-tools">
            <SaveButton path={page.image_url} name={name} of={`of page ${page.number}`}>
              Save picture
            </SaveButton>
          </span>
        )}
      </header>
      <div class="page-sides">
        <PagePicture page={page} chunks={details?.chunks ?? []} />
        <div class="page-text">
          {details && <Passages page={page} chunks={details.chunks} />}
          {!details && !failure && <Loading what={`Page ${page.number} is loading`} lines={9} />}
          {failure && <PageFailure {...{ failure, retry }} page={page.number} />}
        </div>
      </div>
    </section>
  )
}

/** Where the text came from, and how sure it is. */
function PageSource({ page: { source, confidence } }: { readonly page: PageSummary }) {
  if (source === "given") return <small>Text as it was handed in</small>
  if (source === "embedded") return <small>Text from the file itself</small>
  if (source === "none") return <small class="chip">No text was found on this page</small>
  const sure = confidence === undefined ? "" : `, ${Math.round(confidence)} % sure on average`
  const isPoor = confidence !== undefined && confidence < 80
  return (
    <small class={isPoor ? "chip chip-warn" : ""}>
      Text read off the picture by machine{sure}
      {isPoor && ": check it against the picture"}
    </small>
  )
}

interface PageFailureProps {
  readonly failure: ApiFailure
  readonly retry: () => void
  readonly page: number
}

function PageFailure({ failure, retry, page }: PageFailureProps) {
  return (
    <div class="page-failure" role="alert">
      <p>
        <strong>The text of page {page} can't be shown.</strong> {failure.title}. {failure.message}
      </p>
      <button type="button" class="button" onClick={retry}>
        Try again
      </button>
    </div>
  )
}

function useDetails(number: number, cache: PageCache<PageDetails>, view: PageWindow) {
  const [details, setDetails] = useState(cache.peek(number))
  const [failure, setFailure] = useState<ApiFailure | null>(null)
  const { retries } = useReaderRoom()
  const asked = retries.value
  const given = keysGiven.value
  useEffect(() => {
    if (cache.peek(number)) {
      setDetails(cache.peek(number))
      return
    }
    let gone = false
    setFailure(null)
    const ask = () => {
      cache.get(number).then(
        (page) => !gone && setDetails(page),
        (error: unknown) => !gone && setFailure(asFailure(error)),
      )
    }
    const timer = setTimeout(ask, view.isPassing() ? PASSING_MS : 0)
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [number, cache, asked, given])
  return { details, failure: details ? null : failure, retry: () => (retries.value += 1) }
}
