import type { UploadLimits } from "../../functions/http/collection-route.ts"
import { ApiFailure, isAborted } from "../api/api-failure.ts"
import { authorisation, call, withQuery } from "../api/call.ts"
import { wantKey } from "../api/session.ts"
import { sendBody } from "./send-body.ts"
import type { Upload } from "./upload.ts"

/** What the server says of a file that it has. */
interface Received {
  readonly id: string
  /** These very bytes are served already. */
  readonly isKnown: boolean
  readonly isPut: boolean
}

interface SendFileOptions {
  /** Null while they aren't known: then a form is tried. */
  readonly limits: UploadLimits | null
  readonly signal: AbortSignal
  readonly onSent: (bytes: number) => void
}

/**
 * Brings a file to the server: by a form, or, where it is larger than a request may be, to a URL of the object store. A
 * server without such URLs gets the form after all. Throws an `ApiFailure`, or the abort's `DOMException`.
 */
export async function sendFile(upload: Upload, options: SendFileOptions): Promise<Received> {
  await requireReadable(upload.file)
  const { limits } = options
  if (limits !== null && upload.file.size > limits.form_bytes_max) {
    const put = await putFile(upload, options)
    if (put !== null) return put
  }
  return sendForm(upload, options)
}

async function sendForm({ file, id, options: said, tenant }: Upload, options: SendFileOptions): Promise<Received> {
  const form = new FormData()
  const fields = { ...said, id: said.id ?? id, source_account_id: tenant }
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== "" && value !== false) form.append(name, String(value))
  }
  form.append("file", file, file.name)
  try {
    const answer = await sendBody(withQuery("/documents"), form, {
      ...options,
      method: "POST",
      headers: authorisation(),
      onSent: (bytes) => options.onSent(Math.min(bytes, file.size)),
    })
    const received = JSON.parse(answer) as { id: string; status: string }
    return { id: received.id, isKnown: received.status === "ready", isPut: false }
  } catch (error) {
    if (error instanceof ApiFailure && error.code === "unauthorized") wantKey()
    throw error
  }
}

interface Presigned {
  readonly id: string
  readonly upload: { readonly url: string; readonly method: "PUT"; readonly headers: Readonly<Record<string, string>> }
}

/** Null where the store has no URLs. */
async function putFile(
  { file, id, options: said, tenant }: Upload,
  options: SendFileOptions,
): Promise<Received | null> {
  const { signal } = options
  const asked = {
    ...said,
    ...((said.id ?? id) !== undefined && { id: said.id ?? id }),
    ...(tenant !== "" && { source_account_id: tenant }),
    file_name: file.name,
    ...(/^[\w.+-]+\/[\w.+-]+$/.test(file.type) && { content_type: file.type }),
  }
  let presigned: Presigned
  try {
    presigned = await call<Presigned>("/documents", { body: asked, signal })
  } catch (error) {
    if (error instanceof ApiFailure && error.code === "unsupported_media_type") return null
    throw error
  }
  const { url, method, headers } = presigned.upload
  try {
    await sendBody(url, file, { ...options, method, headers })
  } catch (error) {
    if (isAborted(error)) throw error
    throw new ApiFailure("storage_unavailable", {
      title: "The object store didn't take the file",
      detail:
        "The object store didn't take the file. Try again; if it stays so, its address or its rules for this page are wrong.",
    })
  }
  return { id: presigned.id, isKnown: false, isPut: true }
}

/** A file that was moved, changed or is a folder breaks off later without a word. */
async function requireReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer()
  } catch {
    throw new ApiFailure("document_unreadable", {
      title: "The file can't be opened any more",
      detail: "The file can't be opened any more: it was moved or changed. Choose it again.",
    })
  }
}
