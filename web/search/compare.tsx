import { useState } from "preact/hooks"
import type { SearchResponse } from "../../lib/search/response.ts"
import { type Resource, useResource } from "../api/use-resource.ts"
import { Failure, Loading, Notes } from "../parts/states.tsx"
import { askSearch } from "./ask-search.ts"
import { ComparedResult } from "./compared-result.tsx"
import { moveInList } from "./move-in-list.ts"
import { RANKING_IDS, RANKINGS, type Ranking } from "./rankings.ts"
import { COMPARED_MAX, type SearchAddress, toRequest } from "./search-address.ts"
import { isShortcut } from "./single-keys.ts"

interface CompareProps {
  readonly address: SearchAddress
  readonly change: (address: SearchAddress) => void
  readonly toBox: () => void
}

/** One ranking's list, on its way or there. */
export interface ComparedList {
  readonly ranking: Ranking
  readonly resource: Resource<SearchResponse>
  /** What names its results in every list, best first. */
  readonly keys: readonly string[]
}

/** The same question by two or three rankings, side by side. */
export function Compare({ address, change, toBox }: CompareProps) {
  const lists = useLists(address)
  const [hot, setHot] = useState("")
  return (
    <section aria-labelledby="compare-title">
      <h2 id="compare-title" class="visually-hidden">
        Rankings side by side
      </h2>
      <ComparedChoice address={address} change={change} />
      <div class="compare" data-lists={lists.length}>
        {lists.map((list) => (
          <Column key={list.ranking} list={list} lists={lists} hot={hot} setHot={setHot} toBox={toBox} />
        ))}
      </div>
    </section>
  )
}

interface ColumnProps {
  readonly list: ComparedList
  readonly lists: readonly ComparedList[]
  readonly hot: string
  readonly setHot: (key: string) => void
  readonly toBox: () => void
}

function Column({ list, lists, hot, setHot, toBox }: ColumnProps) {
  const { ranking, resource, keys } = list
  const { value, failure, state, reload } = resource
  const { name, says } = RANKINGS[ranking]
  return (
    <section class="compare-column" aria-labelledby={`compare-${ranking}`} aria-busy={state === "loading"}>
      <header>
        <h3 id={`compare-${ranking}`}>{name}</h3>
        <small>{says}</small>
      </header>
      {failure && <Failure failure={failure} retry={reload} />}
      {!value && !failure && <Loading what={`Ranking by ${name.toLowerCase()}`} lines={6} />}
      {value && !failure && (
        <>
          <Notes notes={value.degraded ?? []} />
          {value.count === 0 && <p class="compare-none">Nothing found this way.</p>}
          <ol
            aria-labelledby={`compare-${ranking}`}
            onKeyDown={(event) => isShortcut(event) && moveInList(event.currentTarget, event, toBox)}
          >
            {value.results.map((hit, index) => (
              <ComparedResult
                key={keys[index]}
                hit={hit}
                index={index}
                list={list}
                others={lists.filter((other) => other !== list)}
                isHot={hot === keys[index]}
                setHot={setHot}
              />
            ))}
          </ol>
        </>
      )}
    </section>
  )
}

/** Which rankings stand there: two at least, three at most. */
function ComparedChoice({ address, change }: Pick<CompareProps, "address" | "change">) {
  const { compared } = address
  const toggle = (id: Ranking) => {
    const next = compared.includes(id) ? compared.filter((each) => each !== id) : [...compared, id]
    change({ ...address, compared: RANKING_IDS.filter((each) => next.includes(each)) })
  }
  return (
    <fieldset class="compare-choice">
      <legend class="visually-hidden">Rankings to compare, two or three</legend>
      {RANKING_IDS.map((id) => {
        const isChosen = compared.includes(id)
        return (
          <label key={id} class="filter-check">
            <input
              type="checkbox"
              checked={isChosen}
              disabled={isChosen ? compared.length <= 2 : compared.length >= COMPARED_MAX}
              onChange={() => toggle(id)}
            />
            {RANKINGS[id].name}
          </label>
        )
      })}
      <small>
        <b>↑3</b> stands three places higher here than there, <b>↓3</b> lower.
      </small>
    </fieldset>
  )
}

const inputs = (body: ReturnType<typeof toRequest>): [typeof body] => [body]

function useLists(address: SearchAddress): readonly ComparedList[] {
  const { compared, unit } = address
  const bodyOf = (index: number) => {
    const ranking = compared[index]
    return ranking === undefined ? null : inputs(toRequest(address, ranking))
  }
  const load = (signal: AbortSignal, body: ReturnType<typeof toRequest>) => askSearch(body, signal)
  // As many as can stand there: hooks are called the same number of times.
  const resources = [useResource(bodyOf(0), load), useResource(bodyOf(1), load), useResource(bodyOf(2), load)]
  return compared.flatMap((ranking, index) => {
    const resource = resources[index]
    if (!resource) return []
    const keys = (resource.value?.results ?? []).map((hit) => (unit === "document" ? hit.id : hit.citation))
    return [{ ranking, resource, keys }]
  })
}
