import { useState } from "preact/hooks"
import type { DocumentSummary } from "../../lib/documents/documents.ts"
import { ApiFailure, isAborted } from "../api/api-failure.ts"
import { call } from "../api/call.ts"
import { BusyButton } from "../parts/busy-button.tsx"
import { countOf } from "../parts/format.ts"
import { useDialog } from "../parts/use-dialog.ts"

interface DeleteDialogProps {
  /** Null while nothing is asked. */
  readonly document: DocumentSummary | null
  readonly onClose: () => void
  readonly onDeleted: (document: DocumentSummary) => void
}

/** Asks before a document goes, by its name. */
export function DeleteDialog({ document, onClose, onDeleted }: DeleteDialogProps) {
  const dialog = useDialog(document !== null)
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="delete-title"
      aria-describedby="delete-words"
      onClose={onClose}
    >
      {document !== null && <Question document={document} onClose={onClose} onDeleted={onDeleted} />}
    </dialog>
  )
}

interface QuestionProps extends DeleteDialogProps {
  readonly document: DocumentSummary
}

function Question({ document, onClose, onDeleted }: QuestionProps) {
  const { id, title, chunks, page_count } = document
  const [failure, setFailure] = useState<string | null>(null)
  const [isGoing, setGoing] = useState(false)
  const remove = async () => {
    setGoing(true)
    setFailure(null)
    try {
      await call(`/documents/${encodeURIComponent(id)}`, { method: "DELETE" })
      onDeleted(document)
    } catch (error) {
      // Somebody else was quicker.
      if (error instanceof ApiFailure && error.code === "not_found") return onDeleted(document)
      setGoing(false)
      if (!isAborted(error)) setFailure(error instanceof ApiFailure ? error.message : "Something went wrong here.")
    }
  }
  const held = [countOf(chunks, "passage"), page_count === undefined ? "" : countOf(page_count, "page")].filter(Boolean)
  return (
    <>
      <h2 id="delete-title">Delete this document?</h2>
      <p class="delete-name">{title || id}</p>
      <p id="delete-words">
        It goes with its {held.join(" and ")}, and citations of it will lead nowhere. This can't be undone: to have it
        back, add the file again.
      </p>
      {failure !== null && (
        <p class="delete-failure" role="alert">
          It wasn't deleted. {failure}
        </p>
      )}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          Keep it
        </button>
        <BusyButton class="button button-primary" isBusy={isGoing} onClick={() => void remove()}>
          {isGoing ? "Deleting…" : "Delete it"}
        </BusyButton>
      </div>
    </>
  )
}
