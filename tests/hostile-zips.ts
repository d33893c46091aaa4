import { crc32, deflateRawSync } from "node:zlib"

/** An entry as its directory states it, which may be a lie. */
export interface RawEntry {
  readonly name: string
  readonly data?: string | Uint8Array
  /** Size that it says it unpacks to. */
  readonly statedBytes?: number
  /** Unix mode; `0o120777` is a symlink. */
  readonly mode?: number
  /** Stands in the directory alone, and leads to the bytes of the first entry. */
  readonly isAlias?: boolean
}

interface RawEnd {
  readonly entries: number
  readonly directoryBytes: number
  readonly directoryAt: number
}

/** A ZIP written byte by byte (APPNOTE 4.3), so that it may say what no library would write. */
export function rawZip(entries: readonly RawEntry[], end: Partial<RawEnd> = {}): Uint8Array {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  let first: { readonly packed: Buffer; readonly crc: number } | undefined
  for (const { name, data = "", statedBytes, mode = 0o100644, isAlias = false } of entries) {
    const bytes = Buffer.from(data)
    const own = { packed: deflateRawSync(bytes), crc: crc32(bytes) }
    first ??= own
    const { packed, crc } = isAlias ? first : own
    const head = Buffer.alloc(46)
    head.writeUInt32LE(0x02014b50, 0)
    head.writeUInt16LE((3 << 8) | 20, 4)
    head.writeUInt16LE(20, 6)
    head.writeUInt16LE(8, 10)
    head.writeUInt32LE(crc, 16)
    head.writeUInt32LE(packed.length, 20)
    head.writeUInt32LE(statedBytes ?? bytes.length, 24)
    head.writeUInt16LE(Buffer.byteLength(name), 28)
    head.writeUInt32LE((mode << 16) >>> 0, 38)
    head.writeUInt32LE(isAlias ? 0 : at, 42)
    directory.push(head, Buffer.from(name))
    if (isAlias) continue
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    head.copy(local, 4, 6, 32)
    local.writeUInt16LE(0, 28)
    parts.push(local, Buffer.from(name), packed)
    at += 30 + Buffer.byteLength(name) + packed.length
  }
  const listed = Buffer.concat(directory)
  const tail = Buffer.alloc(22)
  tail.writeUInt32LE(0x06054b50, 0)
  const count = end.entries ?? entries.length
  tail.writeUInt16LE(count & 0xffff, 8)
  tail.writeUInt16LE(count & 0xffff, 10)
  tail.writeUInt32LE(end.directoryBytes ?? listed.length, 12)
  tail.writeUInt32LE(end.directoryAt ?? at, 16)
  return Buffer.concat([...parts, listed, tail])
}
