import { createReadStream } from "node:fs"
import { type FileHandle, open, rm, stat } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { GetObjectCommand, type GetObjectCommandOutput, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3"
import { diskFull } from "../disk-full.ts"
import { AppError } from "../errors.ts"
import { tooLarge } from "./object-store.ts"
import { isMissingObject, isPassing } from "./s3-error.ts"

export interface S3Address {
  readonly Bucket: string
  readonly Key: string
  /** Absent: the newest. */
  readonly VersionId?: string
}

/** The SDK repeats a request, but no body that breaks off and no upload from a stream. */
const ATTEMPTS_MAX = 3
const BACKOFF_MS = 200

/**
 * Gets an object and hands its body, bounded, to `consume`, again from its start when it breaks off. Null when there is
 * none.
 *
 * @throws AppError `storage_unavailable` for more than `bytesMax`; the SDK's errors
 */
export async function download<T>(
  client: S3Client,
  address: S3Address,
  bytesMax: number,
  consume: (body: AsyncIterable<Uint8Array>, found: GetObjectCommandOutput) => Promise<T>,
): Promise<T | null> {
  for (let attempt = 1; ; attempt++) {
    const found = await client.send(new GetObjectCommand(address)).catch(nullIfMissing)
    if (!found) return null
    try {
      return await consume(bounded(found, bytesMax), found)
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isPassing(error)) throw error
    }
  }
}

/** Downloads into a new file, which is gone again when that fails. False when there is no such object. */
export async function downloadFile(client: S3Client, address: S3Address, path: string, bytesMax: number) {
  const file = await local(open(path, "wx"))
  let isWritten: true | null = null
  try {
    isWritten = await download(client, address, bytesMax, (body) => writeFrom(file, body))
  } finally {
    await file.close()
    if (!isWritten) await rm(path, { force: true })
  }
  return isWritten !== null
}

/** Uploads a file in one request, so at most 5 GB of it. */
export async function uploadFile(client: S3Client, address: S3Address, path: string, contentType: string) {
  const { size } = await local(stat(path))
  for (let attempt = 1; ; attempt++) {
    const Body = createReadStream(path)
    const command = new PutObjectCommand({ ...address, Body, ContentLength: size, ContentType: contentType })
    try {
      await client.send(command)
      return
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isPassing(error)) throw error
      await sleep(BACKOFF_MS * attempt)
    } finally {
      Body.destroy()
    }
  }
}

/** Null for an object that isn't there; passes on every other error. */
export function nullIfMissing(error: unknown): null {
  if (isMissingObject(error)) return null
  throw error
}

async function writeFrom(file: FileHandle, body: AsyncIterable<Uint8Array>): Promise<true> {
  let position = 0
  await local(file.truncate(0))
  for await (const chunk of body) {
    await local(file.write(chunk, 0, chunk.length, position))
    position += chunk.length
  }
  return true
}

async function* bounded(found: GetObjectCommandOutput, bytesMax: number): AsyncGenerator<Uint8Array> {
  const body = found.Body as (AsyncIterable<Uint8Array> & { destroy(): void }) | undefined
  if ((found.ContentLength ?? 0) > bytesMax) {
    body?.destroy()
    throw tooLarge(bytesMax)
  }
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // Leaving the loop destroys the stream.
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    yield chunk
  }
}

async function local<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    const full = diskFull(cause, "the temporary files")
    if (full) throw full
    const message = "A file on its way from or to the object store can't be read or written here: check the disk"
    throw new AppError("storage_unavailable", message, { cause })
  }
}
