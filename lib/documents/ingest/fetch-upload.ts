import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { diskFull } from "../../disk-full.ts"
import { AppError } from "../../errors.ts"
import type { ObjectStore } from "../../objects/object-store.ts"
import type { Job } from "./upload.ts"

/** A file of this machine with what its bytes are. */
export interface LocalFile {
  readonly path: string
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** Runs `work` with a folder of its own under `tempFolder`, which is gone afterwards. Throws `storage_full` where `work` finds the disk so. */
export async function withFolder<T>(tempFolder: string, work: (folder: string) => Promise<T>): Promise<T> {
  let folder: string | undefined
  try {
    await mkdir(tempFolder, { recursive: true })
    folder = await mkdtemp(join(tempFolder, "upload-"))
    return await work(folder)
  } catch (error) {
    throw diskFull(error, "the temporary files under CONCORDANCE_HOME") ?? error
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}

/** Writes the upload to a file of `folder`. Throws `document_unreadable` when the store has none, `document_too_large`. */
export async function fetchUpload(
  objects: ObjectStore,
  { uploadKey, version }: Pick<Job, "uploadKey" | "version">,
  folder: string,
  bytesMax: number,
): Promise<LocalFile> {
  const found = await objects.head(uploadKey, version)
  if (found && found.bytes > bytesMax) throw tooLarge(bytesMax)
  const path = join(folder, "file")
  if (!found || !(await objects.getFile(uploadKey, path, bytesMax, version))) {
    throw new AppError("document_unreadable", "The uploaded file is no longer in the object store: upload it again")
  }
  return describeFile(path)
}

/** Size and digest of a file. */
export async function describeFile(path: string): Promise<LocalFile> {
  const hash = createHash("sha256")
  let bytes = 0
  for await (const part of createReadStream(path)) {
    bytes += (part as Buffer).byteLength
    hash.update(part as Buffer)
  }
  return { path, bytes, sha256: hash.digest("hex") }
}

/** The error of a file beyond DOCUMENT_BYTES_MAX. */
export function tooLarge(bytesMax: number): AppError {
  return new AppError(
    "document_too_large",
    `The file is larger than ${Math.floor(bytesMax / 1e6)} MB (DOCUMENT_BYTES_MAX)`,
  )
}
