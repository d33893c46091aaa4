import { useEffect, useRef } from "preact/hooks"
import { isAborted } from "../api/api-failure.ts"
import { countOf, formatBytes } from "../parts/format.ts"
import { readerPath } from "../parts/paths.ts"
import { FileButton } from "./file-button.tsx"
import { followUpload } from "./follow-upload.ts"
import type { Upload, UploadState } from "./upload.ts"
import { dropUpload, noteUpload, retryUpload } from "./upload-queue.ts"

/** One file on its way: what it is doing, how far, and what can be done about it. */
export function UploadRow({ upload }: { readonly upload: Upload }) {
  useFollowing(upload)
  const { key, file, id, state } = upload
  return (
    <li class="upload" data-stage={state.stage}>
      <div class="upload-name">
        {state.stage === "ready" && id !== undefined ? (
          <a href={readerPath({ documentId: id })}>{file.name}</a>
        ) : (
          file.name
        )}
      </div>
      <p class="upload-words">{wordsOf(upload)}</p>
      {share(upload) !== undefined && <Bar share={share(upload) ?? null} label={`${file.name}: ${wordsOf(upload)}`} />}
      {state.stage === "ready" && state.warnings.length > 0 && (
        <ul class="upload-warnings">
          {state.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <div class="upload-actions">
        {state.stage === "failed" && state.remedy === "again" && (
          <button type="button" class="button" onClick={() => retryUpload(key)}>
            Try again
          </button>
        )}
        {state.stage === "failed" && (
          <FileButton
            label={`Choose another file in place of ${file.name}`}
            onFiles={([other]) => retryUpload(key, other)}
          >
            Choose another…
          </FileButton>
        )}
        <button
          type="button"
          class="button-quiet"
          aria-label={`${dropLabel(state)} ${file.name}`}
          onClick={() => dropUpload(key)}
        >
          {dropLabel(state)}
        </button>
      </div>
    </li>
  )
}

/** Asks how far the reading is while the row is looked at. */
function useFollowing(upload: Upload): void {
  const latest = useRef(upload)
  latest.current = upload
  const { key, id } = upload
  const isRead = upload.state.stage === "reading" && id !== undefined
  useEffect(() => {
    if (!isRead) return
    const gone = new AbortController()
    followUpload(latest.current, (state) => noteUpload(key, state), gone.signal).catch((error: unknown) => {
      if (!gone.signal.aborted && !isAborted(error)) noteUpload(key, { stage: "reading", isOutOfTouch: true })
    })
    return () => gone.abort()
  }, [key, id, isRead])
}

/** Undefined where nothing moves, null where it moves and nobody knows how far. */
function share({ file, state }: Upload): number | null | undefined {
  if (state.stage === "sending") return file.size === 0 ? null : state.sentBytes / file.size
  if (state.stage !== "reading") return undefined
  const { progress } = state
  return progress && progress.total > 0 ? progress.done / progress.total : null
}

function wordsOf({ file, state, isPut }: Upload): string {
  switch (state.stage) {
    case "waiting":
      return `${formatBytes(file.size)} · waits its turn`
    case "sending":
      return `Sending: ${formatBytes(state.sentBytes)} of ${formatBytes(file.size)}`
    case "reading":
      if (state.isOutOfTouch) return "The server doesn't answer. It is asked again; what it has, it keeps."
      if (state.progress) return `Reading: ${state.progress.done} of ${state.progress.total} pages and passages`
      return isPut ? "Sent. The server will notice it soon." : "Sent. Waiting to be read."
    case "ready":
      if (state.isKnown) return "Was here already, with these very bytes: nothing changed."
      return [
        "Ready",
        state.pages === undefined ? "" : countOf(state.pages, "page"),
        countOf(state.passages, "passage"),
      ]
        .filter((part) => part !== "")
        .join(" · ")
    case "failed":
      return state.reason
  }
}

function dropLabel({ stage }: UploadState): string {
  return stage === "waiting" || stage === "sending" ? "Stop" : "Dismiss"
}

function Bar({ share, label }: { readonly share: number | null; readonly label: string }) {
  return <progress class="upload-bar" aria-label={label} {...(share !== null && { value: share })} max={1} />
}
