import type { DocumentDetails } from "../../lib/documents/documents.ts"
import { ApiFailure } from "../api/api-failure.ts"
import { call } from "../api/call.ts"
import { pause } from "./poll.ts"
import { failedWith, type Upload, type UploadState } from "./upload.ts"

/** Time between two questions, ms: the first, and the longest where nothing moves. */
const WAIT_MS = 600
const WAIT_MAX_MS = 8_000
const SLOWER = 1.5
/** A file that was put to the store is noticed within so many ms, or an event got lost. */
const NOTICED_MS = 300_000

/**
 * Asks how far the reading of a file is until it is over: less and less often while nothing moves, not at all while the
 * page is hidden. Rejects when aborted.
 */
export async function followUpload(upload: Upload, note: (state: UploadState) => void, signal: AbortSignal) {
  const began = Date.now()
  let waitMs = WAIT_MS
  let last = ""
  for (;;) {
    await pause(waitMs, signal)
    const state = await ask(upload, began, signal)
    note(state)
    if (state.stage !== "reading") return
    const seen = JSON.stringify(state)
    waitMs = seen === last ? Math.min(waitMs * SLOWER, WAIT_MAX_MS) : WAIT_MS
    last = seen
  }
}

async function ask({ id = "", tenant, isPut }: Upload, began: number, signal: AbortSignal): Promise<UploadState> {
  try {
    const query = { source_account_id: tenant || undefined }
    return stateOf(await call<DocumentDetails>(`/documents/${encodeURIComponent(id)}`, { query, signal }))
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    if (error.code === "not_found" && isPut && Date.now() - began < NOTICED_MS) return { stage: "reading" }
    if (error.code === "not_found") {
      return { stage: "failed", reason: "The document was deleted while it was read.", remedy: "again" }
    }
    return { stage: "reading", isOutOfTouch: true }
  }
}

/** What a document's own state says of its upload. */
function stateOf({ status, error, progress, ...document }: DocumentDetails): UploadState {
  if (status === "failed") return failedWith(error ?? { code: "internal", message: "The file could not be read." })
  if (status !== "ready") return { stage: "reading", progress }
  const { title, chunks, page_count, warnings = [] } = document
  return { stage: "ready", title, isKnown: false, passages: chunks, pages: page_count, warnings }
}
