import type { ChunkDetails, PageSummary } from "../../lib/documents/page-details.ts"
import { languageName } from "../parts/format.ts"
import { Flags } from "./flags.tsx"
import { OtherNames } from "./names.tsx"
import { PassageBody } from "./passage-body.tsx"
import { passageId } from "./passage-id.ts"
import { PassagePicture } from "./passage-picture.tsx"
import { PassageTools } from "./passage-tools.tsx"
import { isPartOf, useReaderRoom } from "./reader-room.ts"

export interface PassageProps {
  readonly chunk: ChunkDetails
  /** The page that it is shown on; absent in a document without pages. */
  readonly page?: PageSummary | undefined
}

/** A passage: its text in one or two languages, and what is to be said of it. */
export function Passage({ chunk, page }: PassageProps) {
  const room = useReaderRoom()
  const isSelected = isPartOf(chunk, room.selected.value)
  const toggle = () => room.select(isSelected ? null : chunk.id, page?.number ?? null)
  const byPointer = (event: MouseEvent) => {
    const isControl = event.target instanceof Element && event.target.closest("button, a, summary, [data-own-arrows]")
    if (!isControl && getSelection()?.isCollapsed !== false) toggle()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button inside does the same, by keyboard too
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
    <div
      id={passageId(page?.number, chunk.id)}
      class="passage-block"
      role="group"
      aria-label={`${isSelected ? "Selected passage" : "Passage"} ${chunk.id}`}
      tabIndex={-1}
      data-passage={chunk.id}
      data-kind={chunk.kind}
      data-selected={isSelected ? "" : undefined}
      data-pointed={room.pointed.value === chunk.id ? "" : undefined}
      onClick={byPointer}
      onPointerEnter={() => (room.pointed.value = chunk.id)}
      onPointerLeave={() => (room.pointed.value = null)}
    >
      <button
        type="button"
        class="passage-handle"
        aria-pressed={isSelected}
        aria-label={isSelected ? `Take the shade off passage ${chunk.id}` : `Shade passage ${chunk.id} and cite it`}
        title={isSelected ? "Take the shade off" : "Shade and cite"}
        onClick={toggle}
      >
        ¶
      </button>
      <PassagePicture chunk={chunk} page={page} />
      <Texts chunk={chunk} heading={page ? "h3" : "h2"} />
      <OtherNames chunk={chunk} />
      <Flags anomalies={chunk.anomalies ?? []} />
      <PassageTools chunk={chunk} page={page} isSelected={isSelected} />
    </div>
  )
}

interface TextsProps {
  readonly chunk: ChunkDetails
  readonly heading: "h2" | "h3"
}

/** The original, the translation, or one beside the other. */
function Texts({ chunk, heading }: TextsProps) {
  const { language: choice } = useReaderRoom().place.value
  const { language, content, translation } = chunk
  if (!translation || choice === "original") {
    const isMissing = choice === "translation" && !translation
    return (
      <>
        <PassageBody {...{ chunk, heading }} language={language} content={content} />
        {isMissing && <p class="passage-fine">In {languageName(language)} only: there is no translation of it.</p>}
      </>
    )
  }
  const translated = (
    <PassageBody {...{ chunk, heading }} language={translation.language} content={translation.content} />
  )
  if (choice === "translation") return translated
  return (
    <div class="passage-pair">
      <PassageBody {...{ chunk, heading }} language={language} content={content} />
      <div class="passage-translation">{translated}</div>
    </div>
  )
}
