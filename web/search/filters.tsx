import type { AnomalyPage } from "../../lib/documents/anomalies.ts"
import { call } from "../api/call.ts"
import { useResource } from "../api/use-resource.ts"
import { languageName } from "../parts/format.ts"
import { DocumentFilter } from "./document-filter.tsx"
import { oddityName } from "./result-facts.tsx"
import { filterCount, KINDS, type Kind, type SearchAddress, withoutFilters } from "./search-address.ts"
import type { DocumentList } from "./use-documents.ts"

const KIND_NAMES: Readonly<Record<Kind, string>> = {
  text: "Text",
  table: "Tables",
  figure: "Figures",
  heading: "Headings",
}

interface FiltersProps {
  readonly address: SearchAddress
  readonly change: (address: SearchAddress) => void
  /** Undefined until it was loaded. */
  readonly list: DocumentList | undefined
}

/** What the results are taken from. */
export function Filters({ address, change, list }: FiltersProps) {
  const set = (part: Partial<SearchAddress>) => change({ ...address, ...part })
  const count = filterCount(address)
  return (
    <section class="filters" aria-labelledby="filters-title">
      <div class="filters-head">
        <h2 id="filters-title">Only from</h2>
        {count > 0 && (
          <button type="button" class="button-quiet" onClick={() => change(withoutFilters(address))}>
            Clear
          </button>
        )}
      </div>
      <DocumentFilter chosen={address.documents} list={list} choose={(documents) => set({ documents })} />
      <fieldset class="filter">
        <legend>Kind</legend>
        {KINDS.map((kind) => (
          <label key={kind} class="filter-check">
            <input
              type="checkbox"
              checked={address.kinds.includes(kind)}
              onChange={() => set({ kinds: toggled(address.kinds, kind) })}
            />
            {KIND_NAMES[kind]}
          </label>
        ))}
      </fieldset>
      <LanguageFilter chosen={address.language} list={list} choose={(language) => set({ language })} />
      <OddityFilter chosen={address.oddity} isWanted={list !== undefined} choose={(oddity) => set({ oddity })} />
    </section>
  )
}

function LanguageFilter({
  chosen,
  list,
  choose,
}: {
  readonly chosen: string
  readonly list: DocumentList | undefined
  readonly choose: (language: string) => void
}) {
  const found = new Set((list?.documents ?? []).flatMap(({ languages }) => languages).filter(Boolean))
  if (chosen !== "") found.add(chosen)
  if (found.size < 2 && chosen === "") return null
  return (
    <label class="filter">
      <span>Language</span>
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">Any</option>
        {[...found].sort().map((language) => (
          <option key={language} value={language}>
            {languageName(language)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Passages that somebody marked as odd; not there where nothing is. */
function OddityFilter({
  chosen,
  isWanted,
  choose,
}: {
  readonly chosen: string
  readonly isWanted: boolean
  readonly choose: (oddity: string) => void
}) {
  const page = useResource(isWanted ? [] : null, (signal) =>
    call<AnomalyPage>("/anomalies", { query: { limit: 200 }, signal }),
  )
  const kinds = new Set((page.value?.anomalies ?? []).map(({ kind }) => kind))
  if (chosen !== "" && chosen !== "any") kinds.add(chosen)
  if (kinds.size === 0 && chosen === "") return null
  return (
    <label class="filter">
      <span>Marked as odd</span>
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">All passages</option>
        <option value="any">Only odd ones</option>
        {[...kinds].sort().map((kind) => (
          <option key={kind} value={kind}>
            Odd: {oddityName(kind)}
          </option>
        ))}
      </select>
    </label>
  )
}

const toggled = (kinds: readonly Kind[], kind: Kind) =>
  kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind]
