import { useState } from "preact/hooks"
import type { DocumentDetails } from "../../lib/documents/documents.ts"
import { useResource } from "../api/use-resource.ts"
import { Failure, Loading } from "../parts/states.tsx"
import { loadFlagged } from "./document-api.ts"
import { kindInWords } from "./flags.tsx"
import { PlaceLink } from "./place-link.tsx"
import { useReaderRoom } from "./reader-room.ts"
import "./about.css"

/** What else is known of a document, on demand: its data, and the passages in which something is odd. */
export function AboutDocument({ document }: { readonly document: DocumentDetails }) {
  const [opened, setOpened] = useState(false)
  const { id, created_at, updated_at, metadata, chunks } = document
  const facts: [string, string][] = [
    ["Identifier", id],
    ["Passages", String(chunks)],
    ["Added", inWords(created_at)],
    ["Changed", inWords(updated_at)],
    ...Object.entries(metadata).map(([name, value]): [string, string] => [kindInWords(name), textOf(value)]),
  ]
  return (
    <details class="about" onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>About this document</summary>
      <div class="about-parts">
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {opened && <Flagged />}
      </div>
    </details>
  )
}

function Flagged() {
  const { documentId } = useReaderRoom()
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined])
  const lists = useResource([documentId, cursors] as const, (signal, id, cursors) =>
    Promise.all(cursors.map((cursor) => loadFlagged(signal, id, cursor))),
  )
  if (lists.failure) return <Failure failure={lists.failure} retry={lists.reload} />
  if (!lists.value) return <Loading what="Flagged passages are loading" />
  const flagged = lists.value.flatMap(({ anomalies }) => anomalies)
  const next = lists.value.at(-1)?.next_cursor
  return (
    <section class="about-flagged">
      <h2>Flagged passages</h2>
      {flagged.length === 0 && <p>Nothing odd was noted in this document.</p>}
      <ul>
        {flagged.map(({ chunk_id, page, kind, note }) => (
          <li key={`${chunk_id} ${kind} ${note}`}>
            <PlaceLink documentId={documentId} page={page} chunkId={chunk_id}>
              {kindInWords(kind)}
              {page !== undefined && `, page ${page}`}
            </PlaceLink>
            <span>{note}</span>
          </li>
        ))}
      </ul>
      {next !== undefined && (
        <button type="button" class="button" onClick={() => setCursors((cursors) => [...cursors, next])}>
          Show more
        </button>
      )}
    </section>
  )
}

const inWords = (date: string): string =>
  new Date(date).toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" })

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
