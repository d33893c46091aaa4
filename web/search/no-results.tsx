import type { DocumentSummary } from "../../lib/documents/documents.ts"
import { Empty } from "../parts/states.tsx"
import { looserWays } from "./looser-ways.ts"
import type { SearchAddress } from "./search-address.ts"
import { wordsOf } from "./similar-word.ts"

interface NoResultsProps {
  readonly address: SearchAddress
  readonly documents: readonly DocumentSummary[]
  readonly change: (address: SearchAddress) => void
}

/** Nothing was found, and ways to find something. */
export function NoResults({ address, documents, change }: NoResultsProps) {
  const ways = looserWays(address, wordsOf(documents.map(({ title }) => title)))
  return (
    <Empty title="No passage fits">
      <p>{ways.length > 0 ? "Loosen the search:" : "Try other words, or ask in a whole sentence."}</p>
      {ways.length > 0 && (
        <ul class="looser-ways">
          {ways.map(({ says, address: looser }) => (
            <li key={says}>
              <button type="button" class="button" onClick={() => change(looser)}>
                {says}
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class="notice-fine">
        <a href="/library">See what the library holds</a>
      </p>
    </Empty>
  )
}
