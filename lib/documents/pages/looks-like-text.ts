/** Bytes of a UTF-8 character after the first, at most. */
const CONTINUATION_BYTES_MAX = 3
/**
 * The text that bytes from the beginning of a file stand for, in UTF-8, UTF-16 or Windows-1252; null where they are no text.
 */
export function looksLikeText(head: Uint8Array): string | null {
  const utf16 = utf16Of(head)
  if (utf16 !== null) return sound(new TextDecoder(utf16).decode(head.subarray(0, head.length & ~1)))
  if (head.includes(0)) return null
  const utf8 = decodeUtf8(head)
  return sound(utf8 ?? new TextDecoder("windows-1252").decode(head))
}

/** The text, unless it has controls: text has none but tab, line feed, vertical tab, form feed, return and escape. */
function sound(text: string): string | null {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if ((code < 0x20 && (code < 0x09 || code > 0x0d) && code !== 0x1b) || code === 0x7f) return null
  }
  return text
}

/** By its byte order mark; without one by zeros, which stand in every other place of most Latin text. */
function utf16Of(head: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le"
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be"
  const zeros = [0, 0]
  for (let index = 0; index < head.length; index += 1) {
    if (head[index] === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  }
  const [even = 0, odd = 0] = zeros
  const most = head.length / 4
  if (even === 0 && odd > most) return "utf-16le"
  return odd === 0 && even > most ? "utf-16be" : null
}

/** Null where it is none. What was read may end inside a character. */
function decodeUtf8(head: Uint8Array): string | null {
  for (let cut = 0; cut <= Math.min(CONTINUATION_BYTES_MAX, head.length); cut += 1) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(head.subarray(0, head.length - cut))
    } catch {
      // Tried without its last byte.
    }
  }
  return null
}
