import { crc32, inflateRawSync } from "node:zlib"
import { encrypted, tooLarge, unreadable } from "./document-errors.ts"

/** Bounds of a ZIP, for what is really inflated: the sizes in its directory are the uploader's word. */
export const ARCHIVE_LIMITS = {
  entriesMax: 10_000,
  partBytesMax: 64 << 20,
  /** All parts that are read, together. */
  totalBytesMax: 128 << 20,
  /** Of a part over 1 MiB. DEFLATE reaches 1,032; sheets of repeated numbers reach 60. */
  ratioMax: 400,
} as const

const RATIO_FREE_BYTES = 1 << 20
const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_HEADER = 0x04034b50
/** A ZIP may end in a comment of 65,535 bytes. */
const END_SEARCH_BYTES = 22 + 65_535
const BROKEN = "The file is damaged: its archive can't be read."

interface Entry {
  readonly offset: number
  readonly compressedBytes: number
  readonly method: number
  readonly isEncrypted: boolean
  readonly crc: number
}

/** A ZIP, of which only what is asked for is inflated. */
export interface Archive {
  readonly names: readonly string[]
  has(name: string): boolean
  /** A part's bytes, or null where there is none of that name. Throws what `openArchive` does. */
  read(name: string): Uint8Array | null
  /** The same as text in UTF-8 or UTF-16, as XML may be. */
  readText(name: string): string | null
}

/**
 * Opens a ZIP by its central directory. Throws `document_unreadable` (damaged), `document_encrypted` and, while inflating,
 * `document_too_large` beyond `ARCHIVE_LIMITS`. zlib stops at the bound itself; fflate goes on to the end of a part whose
 * directory entry lies about its size.
 */
export function openArchive(bytes: Uint8Array): Archive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = readDirectory(bytes, view)
  let inflated = 0

  const read = (name: string): Uint8Array | null => {
    const entry = entries.get(name)
    if (!entry) return null
    if (entry.isEncrypted) throw encrypted()
    const compressed = compressedPart(bytes, view, entry)
    const ratioBytes = Math.max(RATIO_FREE_BYTES, compressed.length * ARCHIVE_LIMITS.ratioMax)
    const part = inflate(
      compressed,
      entry.method,
      Math.min(ARCHIVE_LIMITS.partBytesMax, ratioBytes, ARCHIVE_LIMITS.totalBytesMax - inflated),
    )
    inflated += part.length
    if (crc32(part) !== entry.crc) throw unreadable(BROKEN)
    return part
  }
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    read,
    readText(name) {
      const part = read(name)
      if (!part) return null
      const isUtf16 = (part[0] === 0xff && part[1] === 0xfe) || (part[0] === 0xfe && part[1] === 0xff)
      return new TextDecoder(isUtf16 ? (part[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8").decode(part)
    },
  }
}

function inflate(compressed: Uint8Array, method: number, bytesMax: number): Uint8Array {
  const over = () =>
    tooLarge("The file's content is larger than what is read: it unpacks to over 64 MiB a part or 128 MiB.")
  if (method === 0) {
    if (compressed.length > bytesMax) throw over()
    return compressed
  }
  if (method !== 8) throw unreadable(BROKEN)
  if (bytesMax < 1) throw over()
  try {
    return inflateRawSync(compressed, { maxOutputLength: bytesMax })
  } catch (error) {
    throw error instanceof RangeError ? over() : unreadable(BROKEN)
  }
}

function compressedPart(bytes: Uint8Array, view: DataView, entry: Entry): Uint8Array {
  if (entry.offset + 30 > bytes.length || view.getUint32(entry.offset, true) !== LOCAL_HEADER) throw unreadable(BROKEN)
  const start = entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true)
  if (start + entry.compressedBytes > bytes.length) throw unreadable(BROKEN)
  return bytes.subarray(start, start + entry.compressedBytes)
}

/** The directory, whose format is APPNOTE.TXT 4.3.12 and 4.3.16. ZIP64 is for files that are too large anyway. */
function readDirectory(bytes: Uint8Array, view: DataView): ReadonlyMap<string, Entry> {
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  if (count > ARCHIVE_LIMITS.entriesMax) throw tooLarge("The file has too many parts to be read.")
  // Bytes before the archive, as self-extracting ones have, shift all offsets.
  const shift = end - view.getUint32(end + 12, true) - view.getUint32(end + 16, true)
  let at = view.getUint32(end + 16, true) + shift
  const entries = new Map<string, Entry>()
  for (let index = 0; index < count; index++) {
    if (at < 0 || at + 46 > end || view.getUint32(at, true) !== DIRECTORY_ENTRY) throw unreadable(BROKEN)
    const nameLength = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)).replaceAll("\\", "/")
    const entry: Entry = {
      offset: view.getUint32(at + 42, true) + shift,
      compressedBytes: view.getUint32(at + 20, true),
      method: view.getUint16(at + 10, true),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      crc: view.getUint32(at + 16, true),
    }
    if (!name.endsWith("/") && !entries.has(name)) entries.set(name, entry)
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_SEARCH_BYTES)
  for (let at = view.byteLength - 22; at >= first; at--) {
    if (view.getUint32(at, true) === END_OF_DIRECTORY) return at
  }
  throw unreadable(BROKEN)
}
