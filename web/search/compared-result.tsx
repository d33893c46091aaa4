import type { SearchHit } from "../../lib/search/response.ts"
import { MarkedText } from "../parts/marked-text.tsx"
import { readerPath } from "../parts/paths.ts"
import type { ComparedList } from "./compare.tsx"
import { excerptOf } from "./excerpt.ts"
import { moveBetween, moveSign } from "./moves.ts"
import { ordinal } from "./ordinal.ts"
import { RANKINGS } from "./rankings.ts"

/** Characters of a passage in a narrow column. */
const EXCERPT_CHARS = 150

interface ComparedResultProps {
  readonly hit: SearchHit
  readonly index: number
  readonly list: ComparedList
  readonly others: readonly ComparedList[]
  /** Whether it, or the same result of another list, is pointed at. */
  readonly isHot: boolean
  readonly setHot: (key: string) => void
}

/** A result in one list, and where the others have it. */
export function ComparedResult({ hit, index, list, others, isHot, setHot }: ComparedResultProps) {
  const key = list.keys[index] ?? ""
  const excerpt = excerptOf(hit.content.replaceAll(/\s/g, " "), hit.highlights ?? [], EXCERPT_CHARS)
  const href = readerPath({
    documentId: hit.id,
    chunkId: hit.chunk_id,
    ...(hit.page !== undefined && { page: hit.page }),
  })
  return (
    <li
      id={placeId(list, index)}
      data-place={index + 1}
      data-hot={isHot ? "" : undefined}
      onMouseEnter={() => setHot(key)}
      onMouseLeave={() => setHot("")}
      onFocusIn={() => setHot(key)}
      onFocusOut={() => setHot("")}
    >
      <a href={href} data-result dir="auto">
        {hit.title.trim() || hit.id}
      </a>
      <p class="compare-excerpt" lang={hit.language} dir="auto">
        {excerpt.cutBefore && "… "}
        <MarkedText text={excerpt.text} marks={excerpt.marks} />
        {excerpt.cutAfter && " …"}
      </p>
      <p class="compare-moves">
        {others.map((other) => (
          <PlaceThere key={other.ranking} list={list} index={index} other={other} />
        ))}
      </p>
    </li>
  )
}

/** Where another list has it, as a way there. */
function PlaceThere({
  list,
  index,
  other,
}: Pick<ComparedResultProps, "list" | "index"> & { readonly other: ComparedList }) {
  if (!other.resource.value) return null
  const { name } = RANKINGS[other.ranking]
  const move = moveBetween(list.keys, index, other.keys)
  if (move.place === null) {
    return (
      <span>
        {name}: <span>not in its first {other.keys.length}</span>
      </span>
    )
  }
  const place = move.place
  return (
    <button type="button" onClick={() => goTo(placeId(other, place - 1))}>
      {name}: {ordinal(place)} <b aria-hidden="true">{moveSign(move)}</b>
      {move.higher !== 0 && (
        <span class="visually-hidden">
          , {Math.abs(move.higher)} {move.higher > 0 ? "higher" : "lower"} here
        </span>
      )}
    </button>
  )
}

const placeId = (list: ComparedList, index: number) => `place-${list.ranking}-${index + 1}`

function goTo(id: string): void {
  const place = document.getElementById(id)
  place?.querySelector<HTMLElement>("[data-result]")?.focus({ preventScroll: true })
  place?.scrollIntoView({ block: "nearest" })
}
