import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { basename, join } from "node:path"
import { pipeline } from "node:stream/promises"
import type * as z from "zod"
import { type LocalFile, tooLarge } from "../../lib/documents/ingest/fetch-upload.ts"
import { IngestOptions } from "../../lib/documents/ingest/upload.ts"
import { AppError, invalidField } from "../../lib/errors.ts"
import { DocumentId, StorableText, TenantId } from "../../lib/shapes.ts"
import { checkObject, parseJson } from "./check-input.ts"
import { decodeUtf8 } from "./json-body.ts"
import { type FormPart, readForm } from "./multipart.ts"

/** Longest text field of the form: metadata may have 64,000 characters of JSON. */
const FIELD_BYTES_MAX = 300_000

/** What may be said of a file, in a form or in JSON. */
export const UploadFields = IngestOptions.extend({
  id: DocumentId.optional().describe("Made from the file's name and bytes when absent"),
  source_account_id: TenantId.optional().describe(
    "Tenant; when absent the query string's, the key's only one, or `primary`",
  ),
})
export type UploadFields = z.output<typeof UploadFields>

export const FileName = StorableText.min(1).max(500)

/** A form, received: its file lies in `folder`. */
export interface ReceivedForm {
  readonly fields: UploadFields
  readonly fileName: string
  readonly file: LocalFile
  /** Fields that had no effect. */
  readonly warnings: readonly string[]
}

/**
 * Receives a form with one `file`, which is written to `folder` as it comes and never held in memory. Throws
 * `document_too_large` as soon as it is, `invalid_request` for what is wrong with the fields.
 */
export async function receiveUpload(
  stream: AsyncIterable<Uint8Array>,
  boundary: string,
  folder: string,
  bytesMax: number,
): Promise<ReceivedForm> {
  const texts: Record<string, string> = {}
  let received: { readonly fileName: string; readonly file: LocalFile } | undefined
  for await (const part of readForm(stream, boundary)) {
    if (part.name !== "file") {
      if (Object.hasOwn(texts, part.name)) throw invalidField(part.name.slice(0, 100), "must come once")
      texts[part.name] = await readField(part)
    } else if (received) throw invalidField("file", "must come once: send each file on its own")
    else if (part.fileName === undefined) throw invalidField("file", "must be a file, with its name")
    else
      received = {
        fileName: safeName(part.fileName),
        file: await writeFile(part.body, join(folder, "received"), bytesMax),
      }
  }
  if (!received) throw invalidField("file", "is required")
  const { data, warnings } = checkObject(UploadFields, fromTexts(texts))
  return { ...received, fields: data, warnings }
}

async function writeFile(body: AsyncIterable<Uint8Array>, path: string, bytesMax: number): Promise<LocalFile> {
  const hash = createHash("sha256")
  let bytes = 0
  await pipeline(
    body,
    async function* (pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        bytes += piece.byteLength
        if (bytes > bytesMax) throw tooLarge(bytesMax)
        hash.update(piece)
        yield piece
      }
    },
    createWriteStream(path),
  )
  return { path, bytes, sha256: hash.digest("hex") }
}

async function readField({ name, body }: FormPart): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.byteLength
    if (size > FIELD_BYTES_MAX) throw invalidField(name.slice(0, 100), `must be at most ${FIELD_BYTES_MAX} bytes`)
    pieces.push(piece)
  }
  return decodeUtf8(Buffer.concat(pieces))
}

/** A form holds texts alone; an empty one is what a page sends for a field that nobody filled in. */
function fromTexts(texts: Readonly<Record<string, string>>): Record<string, unknown> {
  const { metadata, flat, ...rest } = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""))
  return {
    ...rest,
    ...(metadata !== undefined && { metadata: parseMetadata(metadata) }),
    ...(flat !== undefined && { flat: parseFlag(flat) }),
  }
}

function parseMetadata(text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new AppError("invalid_request", "metadata: must be JSON", {
      cause,
      fields: [{ field: "metadata", message: "must be JSON" }],
    })
  }
}

function parseFlag(text: string): boolean | string {
  if (/^(true|1|on|yes)$/i.test(text)) return true
  return /^(false|0|off|no)$/i.test(text) ? false : text
}

/** The last part of the name: some programs send the whole path on the sender's machine. */
function safeName(fileName: string): string {
  const name = basename(fileName.replaceAll("\\", "/"))
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
  return name.slice(-500) || "file"
}
