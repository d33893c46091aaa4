import { useState } from "preact/hooks"
import type { DocumentSummary } from "../../lib/documents/documents.ts"
import type { DocumentList } from "./use-documents.ts"

/** Documents that are offered at once. */
const OFFERED_MAX = 6

interface DocumentFilterProps {
  readonly chosen: readonly string[]
  readonly list: DocumentList | undefined
  readonly choose: (ids: readonly string[]) => void
}

/** Chooses documents by what their titles or ids hold. */
export function DocumentFilter({ chosen, list, choose }: DocumentFilterProps) {
  const [typed, setTyped] = useState("")
  const documents = list?.documents ?? []
  const offered = offeredFor(typed, chosen, documents)
  const take = (id: string) => {
    setTyped("")
    choose([...chosen, id])
  }
  return (
    <fieldset class="filter">
      <legend>Document</legend>
      {chosen.length > 0 && (
        <ul class="filter-chosen">
          {chosen.map((id) => (
            <li key={id}>
              <button type="button" class="filter-chip" onClick={() => choose(chosen.filter((each) => each !== id))}>
                <span dir="auto">{titleOf(id, documents)}</span>
                <span aria-hidden="true">×</span>
                <span class="visually-hidden">, no longer only this</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <label class="visually-hidden" for="document-filter">
        Part of a document's title
      </label>
      <input
        id="document-filter"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") setTyped("")
          if (event.key !== "Enter") return
          event.preventDefault()
          if (offered[0]) take(offered[0].id)
        }}
        placeholder="Part of a title"
        autocomplete="off"
        spellcheck={false}
      />
      <p class="visually-hidden" role="status">
        {typed.trim() === "" ? "" : `${offered.length} offered below`}
      </p>
      {typed.trim() !== "" && (
        <ul class="filter-offered">
          {offered.map(({ id, title }) => (
            <li key={id}>
              <button type="button" onClick={() => take(id)}>
                <span dir="auto">{title.trim() || id}</span>
                {title.trim() !== "" && <small>{id}</small>}
              </button>
            </li>
          ))}
          {offered.length === 0 && (
            <li>
              <small>{list?.isWhole === false ? "None of the first 1,000 fits" : "None fits"}</small>
            </li>
          )}
        </ul>
      )}
    </fieldset>
  )
}

function offeredFor(typed: string, chosen: readonly string[], documents: readonly DocumentSummary[]) {
  const words = plain(typed).split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const fits = ({ id, title }: DocumentSummary) => words.every((word) => plain(`${title} ${id}`).includes(word))
  return documents.filter((document) => !chosen.includes(document.id) && fits(document)).slice(0, OFFERED_MAX)
}

const titleOf = (id: string, documents: readonly DocumentSummary[]) =>
  documents.find((document) => document.id === id)?.title.trim() || id

/** Without case and accents: who looks for "edital n" writes no º. */
const plain = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase()
