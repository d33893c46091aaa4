import type { DocumentSummary } from "../../lib/documents/documents.ts"
import { countOf, formatCount, formatDay, languageName } from "../parts/format.ts"
import { readerPath } from "../parts/paths.ts"
import { FileButton } from "./file-button.tsx"
import { addFiles } from "./upload-queue.ts"

interface DocumentRowProps {
  readonly document: DocumentSummary
  readonly onDelete: (document: DocumentSummary) => void
}

/** One document: what it is called, what it holds, and how its last upload went. */
export function DocumentRow({ document, onDelete }: DocumentRowProps) {
  const { id, title, chunks, page_count, languages, updated_at } = document
  const name = title || id
  const spoken = languages.map(languageName).join(", ")
  const day = <time dateTime={updated_at}>{formatDay(updated_at)}</time>
  return (
    <tr id={`document-${id}`}>
      <th scope="row" class="document-cell">
        <span class="document-title">{chunks > 0 ? <a href={readerPath({ documentId: id })}>{name}</a> : name}</span>
        <span class="document-id">{id}</span>
        <span class="narrow document-meta">
          {page_count !== undefined && `${countOf(page_count, "page")} · `}
          {countOf(chunks, "passage")}
          {spoken !== "" && ` · ${spoken}`} · {day}
        </span>
        <UploadNote document={document} />
      </th>
      <td class="figure wide">
        {page_count === undefined ? <Absent what="Without pages" /> : formatCount(page_count)}
      </td>
      <td class="figure wide">{formatCount(chunks)}</td>
      <td class="wide">{spoken || <Absent what="None told" />}</td>
      <td class="wide document-day">{day}</td>
      <td class="document-actions">
        <button type="button" class="button-quiet" aria-label={`Delete ${name}`} onClick={() => onDelete(document)}>
          Delete
        </button>
      </td>
    </tr>
  )
}

function Absent({ what }: { readonly what: string }) {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">{what}</span>
    </>
  )
}

/** What of the latest upload is not as it should be; nothing where all is well. */
function UploadNote({ document: { id, title, status, chunks, error } }: { readonly document: DocumentSummary }) {
  if (status === "ready") return null
  const served = chunks > 0 ? " What was there before is still found." : ""
  if (status !== "failed") {
    return (
      <span class="document-note">
        <span class="chip">{status === "queued" ? "Waits to be read" : "Being read"}</span>
        {served && <span>{served}</span>}
      </span>
    )
  }
  return (
    <span class="document-note">
      <span class="chip chip-bad">Failed</span>
      <span class="document-reason">
        {error?.message ?? "The file could not be read."}
        {served}
      </span>
      <FileButton
        class="button-quiet document-again"
        label={`Choose the file again for ${title || id}`}
        onFiles={(files) => addFiles(files, { id })}
      >
        Choose the file again…
      </FileButton>
    </span>
  )
}
