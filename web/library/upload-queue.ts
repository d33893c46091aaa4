import { signal } from "@preact/signals"
import type { UploadLimits } from "../../functions/http/collection-route.ts"
import { ApiFailure, isAborted } from "../api/api-failure.ts"
import { tenant } from "../api/session.ts"
import { refusalOf } from "./refusal.ts"
import { sendFile } from "./send-file.ts"
import { failedWith, isOnItsWay, type Upload, type UploadOptions, type UploadState } from "./upload.ts"

/** Files that are sent side by side. */
const AT_ONCE = 2

/** The files of this visit, oldest first. They go on while other views are looked at. */
export const uploads = signal<readonly Upload[]>([])

/** How large a file may be; null until the server has said. */
export const uploadLimits = signal<UploadLimits | null>(null)

const sending = new Map<number, AbortController>()
let lastKey = 0

/** Takes files in: those that can't be read are refused at once, the others sent in turn. */
export function addFiles(files: readonly File[], options: UploadOptions): void {
  const added = files.map((file): Upload => {
    const refusal = refusalOf(file, uploadLimits.peek()?.bytes_max ?? null)
    const state: UploadState = refusal ? { stage: "failed", reason: refusal, remedy: "another" } : { stage: "waiting" }
    return { key: ++lastKey, file, options, tenant: tenant.peek(), state }
  })
  uploads.value = [...uploads.peek(), ...added]
  pump()
}

/** Sends a file again, or another in its place. */
export function retryUpload(key: number, another?: File): void {
  const upload = uploads.peek().find((one) => one.key === key)
  if (!upload) return
  const file = another ?? upload.file
  const refusal = refusalOf(file, uploadLimits.peek()?.bytes_max ?? null)
  update(key, {
    file,
    state: refusal ? { stage: "failed", reason: refusal, remedy: "another" } : { stage: "waiting" },
  })
  pump()
}

/** Takes a file off the list; one that is being sent is stopped. What the server has, it keeps. */
export function dropUpload(key: number): void {
  sending.get(key)?.abort()
  uploads.value = uploads.peek().filter((upload) => upload.key !== key)
}

/** Takes off what is over and well. */
export function clearReady(): void {
  uploads.value = uploads.peek().filter(({ state }) => state.stage !== "ready")
}

/** Notes how far an upload is. */
export function noteUpload(key: number, state: UploadState): void {
  update(key, { state })
}

function update(key: number, change: Partial<Upload>): void {
  uploads.value = uploads.peek().map((upload) => (upload.key === key ? { ...upload, ...change } : upload))
}

function pump(): void {
  for (const upload of uploads.peek()) {
    if (sending.size >= AT_ONCE) return
    if (upload.state.stage === "waiting" && !sending.has(upload.key)) void send(upload)
  }
}

async function send(upload: Upload): Promise<void> {
  const { key } = upload
  const stop = new AbortController()
  sending.set(key, stop)
  noteUpload(key, { stage: "sending", sentBytes: 0 })
  try {
    const { id, isKnown, isPut } = await sendFile(upload, {
      limits: uploadLimits.peek(),
      signal: stop.signal,
      onSent: (sentBytes) => noteUpload(key, { stage: "sending", sentBytes }),
    })
    const state: UploadState = isKnown
      ? { stage: "ready", title: upload.file.name, isKnown, passages: 0, warnings: [] }
      : { stage: "reading" }
    update(key, { id, isPut, state })
  } catch (error) {
    if (!isAborted(error)) noteUpload(key, failedState(error))
  } finally {
    sending.delete(key)
    pump()
  }
}

function failedState(error: unknown): UploadState {
  if (!(error instanceof ApiFailure)) return failedWith({ code: "internal", message: "Something went wrong here." })
  // Its message speaks of the page as a whole.
  const { code, title, message } = error
  return failedWith({ code, message: code === "unreachable" ? `${title}. The file is still chosen here.` : message })
}

// Closing the page would end what is being sent, and nothing says so.
addEventListener("beforeunload", (event) => {
  if (uploads.peek().some(isOnItsWay)) event.preventDefault()
})
