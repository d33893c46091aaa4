import type { FileHandle } from "node:fs/promises"
import { AppError } from "../../errors.ts"

/** The record at the end, and the longest comment after it. */
const END_BYTES = 22
const COMMENT_BYTES_MAX = 65_535
const END_SIGNATURE = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const ENTRY_BYTES = 46
const ENTRY_SIGNATURE = 0x02_01_4b_50
/** What tells formats apart stands among the first entries; the whole directory of a hostile file is as long as it likes. */
const DIRECTORY_BYTES_MAX = 4_194_304

/**
 * Names of the entries of a ZIP archive, from its central directory (APPNOTE 4.3.12), nothing unpacked. Throws
 * `document_unreadable` where there is none, as in a file that was cut off.
 */
export async function listZipEntries(file: FileHandle, size: number): Promise<string[]> {
  const tail = await readAt(file, Math.max(0, size - END_BYTES - COMMENT_BYTES_MAX), size)
  const end = tail.lastIndexOf(END_SIGNATURE)
  if (end === -1 || end + END_BYTES > tail.length) throw broken()
  const bytes = tail.readUInt32LE(end + 12)
  const start = tail.readUInt32LE(end + 16)
  if (start >= size) throw broken()
  const directory = await readAt(file, start, Math.min(size, start + Math.min(bytes, DIRECTORY_BYTES_MAX)))
  const names: string[] = []
  for (let at = 0; at + ENTRY_BYTES <= directory.length && directory.readUInt32LE(at) === ENTRY_SIGNATURE; ) {
    const nameEnd = at + ENTRY_BYTES + directory.readUInt16LE(at + 28)
    names.push(directory.toString("utf8", at + ENTRY_BYTES, nameEnd))
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return names
}

async function readAt(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(end - start)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
  return buffer.subarray(0, bytesRead)
}

function broken(): AppError {
  return new AppError("document_unreadable", "The file is damaged: its ZIP directory is missing. Upload it anew")
}
