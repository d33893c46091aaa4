import { useSignal } from "@preact/signals"
import type { ChunkDetails, PageSummary } from "../../lib/documents/page-details.ts"
import type { Region } from "../../lib/shapes.ts"
import { Picture } from "../parts/picture.tsx"
import { boxOf } from "./box-of.ts"
import { PageCanvas } from "./page-canvas.tsx"
import { ratioOf } from "./page-shape.ts"
import { passageId } from "./passage-id.ts"
import { isPartOf, useReaderRoom } from "./reader-room.ts"

interface PagePictureProps {
  readonly page: PageSummary
  readonly chunks: readonly ChunkDetails[]
}

/** A stretch of the picture that a passage takes. */
interface Part {
  readonly chunk: ChunkDetails
  readonly region: Region
}

/**
 * The page as it looks, with a button over each stretch of text; of a page without a picture, a sheet that shows where its
 * passages stand. The buttons are one stop of the Tab key, ↑ and ↓ go from one to the next.
 */
export function PagePicture({ page, chunks }: PagePictureProps) {
  const parts = chunks.flatMap((chunk) =>
    (chunk.regions ?? []).filter((region) => region.page === page.number).map((region) => ({ chunk, region })),
  )
  const reachable = useSignal(0)
  if (page.image_url === undefined && chunks.length > 0 && parts.length === 0) return null
  const ratio = ratioOf(page)
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step === 0 || !(event.currentTarget instanceof HTMLElement)) return
    event.preventDefault()
    reachable.value = Math.min(Math.max(reachable.value + step, 0), parts.length - 1)
    event.currentTarget.querySelectorAll<HTMLElement>(".page-region")[reachable.value]?.focus()
  }
  return (
    <div class="page-picture">
      <div
        class="page-sheet"
        data-paper={page.image_url === undefined ? "" : undefined}
        style={{ aspectRatio: String(ratio), "--ratio": String(ratio) }}
      >
        {page.image_url !== undefined && <PageCanvas path={page.image_url} alt={`Page ${page.number} as it looks`} />}
        {parts.length > 0 && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
          <div role="group" aria-label={`Passages on page ${page.number}`} onKeyDown={move}>
            {parts.map((part, index) => (
              <RegionButton
                key={`${part.chunk.id} ${part.region.x0} ${part.region.y0}`}
                {...part}
                page={page}
                isReachable={index === Math.min(reachable.value, parts.length - 1)}
                reach={() => (reachable.value = index)}
              />
            ))}
          </div>
        )}
      </div>
      {page.image_url === undefined && (
        <p class="page-caption">This page came without a picture. The sheet shows where its passages stand.</p>
      )}
    </div>
  )
}

interface RegionButtonProps extends Part {
  readonly page: PageSummary
  readonly isReachable: boolean
  readonly reach: () => void
}

function RegionButton({ chunk, region, page, isReachable, reach }: RegionButtonProps) {
  const room = useReaderRoom()
  const isSelected = isPartOf(chunk, room.selected.value)
  const choose = () => {
    reach()
    room.select(isSelected ? null : chunk.id, page.number)
    const passage = document.getElementById(passageId(page.number, chunk.id))
    if (!isSelected) passage?.scrollIntoView({ block: "nearest" })
  }
  return (
    <button
      type="button"
      class="page-region"
      style={boxOf(region)}
      tabIndex={isReachable ? 0 : -1}
      aria-pressed={isSelected}
      aria-controls={passageId(page.number, chunk.id)}
      aria-label={`${KINDS[chunk.kind]}: ${beginning(chunk.content)}`}
      data-pointed={room.pointed.value === chunk.id ? "" : undefined}
      data-kind={chunk.kind}
      onClick={choose}
      onFocus={() => (room.pointed.value = chunk.id)}
      onBlur={() => (room.pointed.value = null)}
      onPointerEnter={() => (room.pointed.value = chunk.id)}
      onPointerLeave={() => (room.pointed.value = null)}
    >
      {page.image_url === undefined && chunk.crop_url !== undefined && <Picture path={chunk.crop_url} alt="" />}
    </button>
  )
}

const KINDS = { text: "Passage", table: "Table", figure: "Figure", heading: "Heading" } as const
/** Enough to know a passage by, characters. */
const BEGINNING = 60

function beginning(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > BEGINNING ? `${line.slice(0, BEGINNING)}…` : line
}
