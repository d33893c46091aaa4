const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Width and height in pixels as the header of a PNG says, without decoding it; null for what is no PNG. */
export function pngSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length < 33 || !buffer.subarray(0, 8).equals(SIGNATURE)) return null
  if (buffer.toString("latin1", 12, 16) !== "IHDR") return null
  return { width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20) }
}
