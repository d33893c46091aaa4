import type { FileHandle } from "node:fs/promises"

const HEADER_BYTES = 512
const ENTRY_BYTES = 128
/** Ends a chain; larger numbers are not sectors. */
const SECTOR_MAX = 0xff_ff_ff_fa
/** 512 entries: the streams that tell a format are among the first. */
const SECTORS_MAX = 128

/**
 * Names of the streams of an OLE compound file ([MS-CFB] 2.6): what Office wrote before 2007, and what a password makes of
 * newer files. Empty where the file is broken.
 */
export async function readOleStreams(file: FileHandle, size: number): Promise<Set<string>> {
  const header = await readAt(file, 0, HEADER_BYTES)
  const names = new Set<string>()
  if (header.length < HEADER_BYTES) return names
  const sectorBytes = header.readUInt16LE(30) === 12 ? 4_096 : 512
  let sector = header.readUInt32LE(48)
  for (let count = 0; sector < SECTOR_MAX && (sector + 1) * sectorBytes < size && count < SECTORS_MAX; count += 1) {
    const entries = await readAt(file, (sector + 1) * sectorBytes, sectorBytes)
    for (let at = 0; at + ENTRY_BYTES <= entries.length; at += ENTRY_BYTES) {
      // UTF-16 with a closing zero.
      const length = entries.readUInt16LE(at + 64)
      if (length >= 2 && length <= 64) names.add(entries.toString("utf16le", at, at + length - 2))
    }
    sector = await nextSector(file, header, sector, sectorBytes)
  }
  return names
}

/** The table of sectors says which follows which; the header says where its first 109 parts are. */
async function nextSector(file: FileHandle, header: Buffer, sector: number, sectorBytes: number): Promise<number> {
  const perPart = sectorBytes / 4
  const part = Math.floor(sector / perPart)
  if (part >= 109) return SECTOR_MAX
  const at = (header.readUInt32LE(76 + part * 4) + 1) * sectorBytes + (sector % perPart) * 4
  const entry = await readAt(file, at, 4)
  return entry.length === 4 ? entry.readUInt32LE(0) : SECTOR_MAX
}

async function readAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, start)
  return buffer.subarray(0, bytesRead)
}
