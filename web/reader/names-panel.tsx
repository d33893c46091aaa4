import { useState } from "preact/hooks"
import type { ChunkEntity } from "../../lib/documents/annotations.ts"
import type { MentionPage } from "../../lib/documents/entities.ts"
import { entityId } from "../../lib/entity-key.ts"
import { useResource } from "../api/use-resource.ts"
import { BusyButton } from "../parts/busy-button.tsx"
import { countOf } from "../parts/format.ts"
import { Failure, Loading } from "../parts/states.tsx"
import { useDialog } from "../parts/use-dialog.ts"
import { loadMentions } from "./document-api.ts"
import { kindInWords } from "./flags.tsx"
import { PlaceLink } from "./place-link.tsx"
import { useReaderRoom } from "./reader-room.ts"
import "./names.css"

/** Who a name is, and everywhere it stands, in all documents. */
export function NamesPanel() {
  const room = useReaderRoom()
  const entity = room.openedName.value
  const dialog = useDialog(entity !== null)
  const close = () => {
    // At once: the focus goes back to the name, and from there to where a link leads.
    dialog.current?.close()
    room.openedName.value = null
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, and a button
    <dialog
      ref={dialog}
      class="dialog names-panel"
      aria-labelledby="names-title"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {entity && <Mentions key={`${entity.kind} ${entity.name}`} entity={entity} close={close} />}
    </dialog>
  )
}

function Mentions({ entity, close }: { readonly entity: ChunkEntity; readonly close: () => void }) {
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined])
  const id = entityId(entity.kind, entity.name)
  const pages = useResource([id, cursors] as const, (signal, id, cursors) =>
    Promise.all(cursors.map((cursor) => loadMentions(signal, id, cursor))),
  )
  const found = pages.value?.[0]?.entity
  const next = pages.value?.at(-1)?.next_cursor
  return (
    <div class="names">
      <header class="names-head">
        <div>
          <h2 id="names-title">{found?.name ?? entity.name}</h2>
          <p class="names-kind">
            {kindInWords(entity.kind)}
            {found && ` · ${countOf(found.mentions, "mention")} in ${countOf(found.documents, "document")}`}
          </p>
        </div>
        <button type="button" class="button-quiet" onClick={close}>
          Close
        </button>
      </header>
      {found && found.aliases.length > 0 && <p class="names-kind">Also written: {found.aliases.join(", ")}</p>}
      {pages.state === "failed" && pages.failure && <Failure failure={pages.failure} retry={pages.reload} />}
      {pages.state === "loading" && !pages.value && <Loading what="Its mentions are loading" />}
      {byDocument(pages.value ?? []).map(({ title, id, mentions }) => (
        <section key={id}>
          <h3>{title}</h3>
          <ul class="names-list">
            {mentions.map(({ chunk_id, page, surface }) => (
              <li key={`${chunk_id} ${surface}`}>
                <PlaceLink documentId={id} page={page} chunkId={chunk_id} onFollow={close}>
                  {page === undefined ? `Passage ${chunk_id}` : `Page ${page}`}
                </PlaceLink>{" "}
                <span>as “{surface}”</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {next !== undefined && (
        <BusyButton
          class="button"
          isBusy={pages.state === "loading"}
          onClick={() => setCursors((cursors) => [...cursors, next])}
        >
          Show more
        </BusyButton>
      )}
    </div>
  )
}

function byDocument(pages: readonly MentionPage[]) {
  const documents = new Map<string, { title: string; id: string; mentions: MentionPage["mentions"] }>()
  for (const mention of pages.flatMap(({ mentions }) => mentions)) {
    const { document_id: id, title } = mention
    const document = documents.get(id) ?? { title, id, mentions: [] }
    document.mentions.push(mention)
    documents.set(id, document)
  }
  return [...documents.values()]
}
