const UTF8_BOM = [0xef, 0xbb, 0xbf]
/** How much is looked at to tell UTF-16 without a mark. */
const SAMPLE_BYTES = 4_096

/**
 * The text of a file: by its byte order mark, else as UTF-16 where every other byte is NUL, else in the encoding that it
 * declares (a WHATWG label, as in `<meta charset>`), else as UTF-8 where it is valid, else as windows-1252, which maps every
 * byte to something and covers Portuguese.
 */
export function decodeText(bytes: Uint8Array, declared: string | null = null): string {
  if (UTF8_BOM.every((byte, index) => bytes[index] === byte)) return new TextDecoder("utf-8").decode(bytes)
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes)
  const unmarked = utf16WithoutMark(bytes)
  if (unmarked) return new TextDecoder(unmarked).decode(bytes)
  const decoder = declared === null ? null : decoderOf(declared)
  if (decoder?.encoding === "windows-1252") return decodeWindows1252(bytes)
  if (decoder && decoder.encoding !== "utf-8") return decoder.decode(bytes)
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return decodeWindows1252(bytes)
  }
}

/** ASCII in UTF-16 has NUL in every other place; in no other text does a tenth of either half. */
function utf16WithoutMark(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const nuls = [0, 0]
  for (const [index, byte] of sample.entries()) if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1
  const half = sample.length / 2
  const [even = 0, odd = 0] = nuls
  if (odd > half * 0.4 && even < half * 0.05) return "utf-16le"
  if (even > half * 0.4 && odd < half * 0.05) return "utf-16be"
  return null
}

/** Null for a label that nobody knows, and for UTF-16: whoever could read the declaration wasn't reading UTF-16. */
function decoderOf(label: string) {
  try {
    const decoder = new TextDecoder(label)
    return decoder.encoding.startsWith("utf-16") ? null : decoder
  } catch {
    return null
  }
}

/** 0x80 to 0x9F, as the WHATWG Encoding Standard maps them. */
const WINDOWS_1252 =
  "\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F" +
  "\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178"

/** Node 20's own decoder for it is Latin-1: quotes, dashes and the euro become control characters. */
function decodeWindows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
  return latin1.replace(/[\u0080-\u009F]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character)
}
