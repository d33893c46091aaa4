import type { ChunkEntity } from "../../lib/documents/annotations.ts"
import type { ChunkDetails } from "../../lib/documents/page-details.ts"
import { kindInWords } from "./flags.tsx"
import { namedOtherwise, nameSpans } from "./name-spans.ts"
import { useReaderRoom } from "./reader-room.ts"

/** Text in which each name opens where else it stands. */
export function NamedText({ text, chunk }: { readonly text: string; readonly chunk: ChunkDetails }) {
  const { entities = [] } = chunk
  if (entities.length === 0) return <>{text}</>
  return (
    <>
      {nameSpans(text, entities).map((span, index) =>
        span.entity ? (
          <NameButton key={index} entity={span.entity} text={span.text} />
        ) : (
          <span key={index}>{span.text}</span>
        ),
      )}
    </>
  )
}

/** Who a passage names in other words than those that are shown. */
export function OtherNames({ chunk }: { readonly chunk: ChunkDetails }) {
  const { language } = useReaderRoom().place.value
  const texts = [
    ...(language === "translation" && chunk.translation ? [] : [chunk.content]),
    ...(language !== "original" && chunk.translation ? [chunk.translation.content] : []),
  ]
  // A table's cells are plain.
  const others = namedOtherwise(chunk.kind === "table" ? [] : texts, chunk.entities ?? [])
  if (others.length === 0) return null
  return (
    <p class="passage-fine">
      Also named:{" "}
      {others.map((entity) => (
        <NameButton key={`${entity.kind} ${entity.name}`} entity={entity} text={entity.name} />
      ))}
    </p>
  )
}

interface NameButtonProps {
  readonly entity: ChunkEntity
  readonly text: string
}

function NameButton({ entity, text }: NameButtonProps) {
  const room = useReaderRoom()
  return (
    <span class="named">
      <button
        type="button"
        class="name"
        title={`${entity.name} · ${kindInWords(entity.kind)}`}
        aria-haspopup="dialog"
        onClick={() => (room.openedName.value = entity)}
      >
        {text}
      </button>
    </span>
  )
}
