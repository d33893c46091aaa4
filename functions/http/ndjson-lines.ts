/** One line of a stream: its number, from 1, and its bytes; `null` where it was longer than allowed. */
export interface Line {
  readonly number: number
  readonly bytes: Buffer | null
}

const NEWLINE = 0x0a

/**
 * Cuts a stream of bytes into lines, holding no more than one of them and one part of the stream. A line over
 * `bytesMax` is skipped as it passes. The last line needs no newline; blank lines count but aren't given.
 */
export async function* ndjsonLines(parts: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Line> {
  let number = 1
  let held: Buffer[] = []
  let size = 0

  function take(): Line | null {
    const line = size > bytesMax ? null : Buffer.concat(held)
    held = []
    size = 0
    return line === null || !isBlank(line) ? { number, bytes: line } : null
  }
  function hold(part: Buffer) {
    size += part.length
    if (size > bytesMax) held = []
    else if (part.length > 0) held.push(part)
  }

  for await (const part of parts) {
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      hold(bytes.subarray(start, end))
      start = end + 1
      const line = take()
      if (line) yield line
      number++
    }
    hold(bytes.subarray(start))
  }
  const last = take()
  if (last) yield last
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
