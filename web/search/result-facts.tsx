import type { SearchHit } from "../../lib/search/response.ts"
import { languageName } from "../parts/format.ts"

/** Facts of the metadata that one line holds. */
const FACTS_MAX = 4
const FACT_CHARS_MAX = 40

/** Ours, and shown otherwise. */
const NOT_FACTS = new Set(["headings", "table", "part"])

const KIND_NAMES: Readonly<Record<string, string>> = { table: "Table", figure: "Figure", heading: "Heading" }

/** The words of an oddity's kind: `date-conflict` is a date conflict. */
export function oddityName(kind: string): string {
  return kind.replaceAll(/[-_]/g, " ")
}

/** Language, page, kind and what else is known of where a passage stands. */
export function ResultFacts({ hit }: { readonly hit: SearchHit }) {
  const headings = headingsOf(hit)
  const kind = KIND_NAMES[hit.kind ?? ""]
  return (
    <>
      {headings.length > 0 && (
        <p class="result-headings" dir="auto">
          {headings.join(" › ")}
        </p>
      )}
      <ul class="result-facts" aria-label="About the passage">
        <li class="chip">{languageName(hit.language)}</li>
        {hit.page !== undefined && <li class="chip">Page {hit.page}</li>}
        {kind && <li class="chip">{kind}</li>}
        {(hit.anomalies ?? []).map((oddity) => (
          <li key={oddity} class="chip chip-warn">
            Odd: {oddityName(oddity)}
          </li>
        ))}
        {factsOf(hit.metadata).map(([name, value]) => (
          <li key={name} class="result-fact">
            {name} <b>{value}</b>
          </li>
        ))}
      </ul>
    </>
  )
}

function headingsOf({ metadata, title }: SearchHit): readonly string[] {
  const { headings } = metadata
  if (!Array.isArray(headings)) return []
  return headings.filter((heading): heading is string => typeof heading === "string" && heading !== title)
}

function factsOf(metadata: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(metadata)
    .filter(([name, value]) => !NOT_FACTS.has(name) && (typeof value === "string" || typeof value === "number"))
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([name, value]) => value !== "" && value.length + name.length <= FACT_CHARS_MAX)
    .slice(0, FACTS_MAX)
}
