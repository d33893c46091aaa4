import { BusyButton } from "../parts/busy-button.tsx"
import "./catalogue.css"
import { useEffect, useRef, useState } from "preact/hooks"
import type { DocumentSummary } from "../../lib/documents/documents.ts"
import { countOf, formatCount } from "../parts/format.ts"
import { Empty, Failure, Loading } from "../parts/states.tsx"
import { CatalogueBar } from "./catalogue-bar.tsx"
import { chooseDocuments, shownAs } from "./choose-documents.ts"
import { DeleteDialog } from "./delete-dialog.tsx"
import { DocumentTable } from "./document-table.tsx"
import { EmptyLibrary } from "./empty-library.tsx"
import { pause } from "./poll.ts"
import { useChoice } from "./use-choice.ts"
import type { LoadedDocuments } from "./use-documents.ts"

interface CatalogueProps {
  readonly loaded: LoadedDocuments
  /** How many there are, loaded or not; null while nobody knows. */
  readonly total: number | null
  readonly onDeleted: () => void
}

/** What the library holds. */
export function Catalogue({ loaded, total, onDeleted }: CatalogueProps) {
  const [doomed, setDoomed] = useState<DocumentSummary | null>(null)
  const [gone, setGone] = useState<DocumentSummary | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useReloading(loaded)
  // The button that was pressed goes with its row; the dialog has given it the focus back by now.
  useEffect(() => {
    if (gone !== null) heading.current?.focus()
  }, [gone])
  const { documents, failure, reload } = loaded
  if (documents === undefined) {
    return failure ? <Failure failure={failure} retry={reload} /> : <Loading what="The library is loading" lines={6} />
  }
  if (documents.length === 0 && !failure) return <EmptyLibrary />
  const note = (document: DocumentSummary) => {
    setDoomed(null)
    setGone(document)
    onDeleted()
  }
  return (
    <section class="catalogue" aria-labelledby="catalogue-title">
      <h2 id="catalogue-title" ref={heading} tabIndex={-1}>
        What it holds
      </h2>
      <p class="visually-hidden" role="status">
        {gone !== null && `${gone.title || gone.id} is deleted.`}
      </p>
      {failure && <Failure failure={failure} retry={reload} />}
      <Listed loaded={loaded} documents={documents} total={total} onDelete={setDoomed} />
      <DeleteDialog document={doomed} onClose={() => setDoomed(null)} onDeleted={note} />
    </section>
  )
}

interface ListedProps extends Omit<CatalogueProps, "onDeleted"> {
  readonly documents: readonly DocumentSummary[]
  readonly onDelete: (document: DocumentSummary) => void
}

function Listed({ loaded, documents, total, onDelete }: ListedProps) {
  const [choice, choose] = useChoice()
  const chosen = chooseDocuments(documents, choice)
  const isNarrowed = choice.text.trim() !== "" || choice.shown !== "all"
  const of = loaded.hasMore
    ? `of the first ${formatCount(documents.length)} by id`
    : `of ${formatCount(documents.length)}`
  return (
    <>
      <CatalogueBar choice={choice} onChoose={choose} />
      <p class="catalogue-count" role="status">
        {isNarrowed
          ? `${countOf(chosen.length, "document")} ${of}`
          : loaded.hasMore &&
            `The first ${formatCount(documents.length)}${total === null ? "" : ` of ${formatCount(total)}`}, by id`}
      </p>
      {chosen.length > 0 && <DocumentTable documents={chosen} onDelete={onDelete} />}
      {chosen.length === 0 && (
        <Empty title={choice.text.trim() === "" ? "None of them" : "Nothing is called so"}>
          <p>
            {loaded.hasMore ? "Only what is loaded is looked through: show more, or " : "You may "}
            <button type="button" class="link-button" onClick={() => choose({ text: "", shown: "all" })}>
              show all
            </button>
            . Search looks inside of documents.
          </p>
        </Empty>
      )}
      {loaded.hasMore && (
        <p class="catalogue-more">
          <BusyButton class="button" isBusy={loaded.isLoading} onClick={loaded.loadMore}>
            {loaded.isLoading ? "Loading…" : "Show more"}
          </BusyButton>
        </p>
      )}
    </>
  )
}

/** First and longest time between two looks at what is being read, ms. */
const LOOK_MS = 2_500
const LOOK_MAX_MS = 20_000

/** Looks again while something is being read, more and more rarely while nothing changes. */
function useReloading({ documents, isLoading, reload }: LoadedDocuments): void {
  const underWay = (documents ?? []).filter((document) => shownAs(document) === "reading")
  const seen = underWay.map(({ id, status, chunks }) => `${id} ${status} ${chunks}`).join("\n")
  const waited = useRef({ seen: "", ms: LOOK_MS })
  useEffect(() => {
    if (seen === "" || isLoading) return
    const ms = waited.current.seen === seen ? Math.min(waited.current.ms * 1.5, LOOK_MAX_MS) : LOOK_MS
    waited.current = { seen, ms }
    const gone = new AbortController()
    pause(ms, gone.signal).then(reload, () => {})
    return () => gone.abort()
  }, [seen, isLoading, reload])
}
