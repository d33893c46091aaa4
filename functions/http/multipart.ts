import { AppError } from "../../lib/errors.ts"

/** Most parts of a form, and most bytes of the head of one. */
const PARTS_MAX = 32
const HEAD_BYTES_MAX = 8_192

/** A part of `multipart/form-data`. Its body is read before the next part comes. */
export interface FormPart {
  readonly name: string
  /** There where the part is a file. */
  readonly fileName: string | undefined
  readonly body: AsyncIterable<Uint8Array>
}

/** The boundary that a content type names; null where it is no form of parts. */
export function formBoundary(contentType: string | undefined): string | null {
  const boundary = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType ?? "")
  const text = boundary?.[1] ?? boundary?.[2]
  return text !== undefined && text.length <= 70 ? text : null
}

/**
 * The parts of a form (RFC 7578) as they come in, never more in memory than a piece of the stream: the platform's own
 * `formData` holds the whole body. Throws `invalid_request` for a body that isn't one, or ends too early.
 */
export async function* readForm(stream: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<FormPart> {
  const window = openWindow(stream)
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  for await (const _ of window.until(delimiter)) {
    // What stands before the first part is for mail readers.
  }
  for (let count = 0; ; count++) {
    if (count > PARTS_MAX) throw malformed(`must have at most ${PARTS_MAX} parts`)
    if (await window.startsWith("--")) return
    const head = await readHead(window)
    const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head)?.[1]
    const name = parameter(disposition, "name")
    if (name === undefined) throw malformed("each part must have a name")
    const body = window.until(delimiter)
    yield { name, fileName: parameter(disposition, "filename"), body }
    for await (const _ of body) {
      // What the reader left of it.
    }
  }
}

async function readHead(window: Window): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of window.until(Buffer.from("\r\n\r\n"))) {
    pieces.push(piece)
    size += piece.byteLength
    if (size > HEAD_BYTES_MAX) throw malformed(`the head of a part must be at most ${HEAD_BYTES_MAX} bytes`)
  }
  return Buffer.concat(pieces).toString("utf8")
}

/** Browsers write a quote as %22 and line breaks as %0D and %0A; some programs write `\"`. */
function parameter(disposition: string | undefined, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, "i").exec(`;${disposition ?? ""}`)
  const text = found?.[1]?.replace(/\\(["\\])/g, "$1") ?? found?.[2]
  return text?.replace(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** What has come of a stream and hasn't been read. */
interface Window {
  /** The bytes up to `mark`, which is read too. */
  until(mark: Buffer): AsyncGenerator<Uint8Array>
  startsWith(text: string): Promise<boolean>
}

function openWindow(stream: AsyncIterable<Uint8Array>): Window {
  const source = stream[Symbol.asyncIterator]()
  // A boundary begins with a line break, which the first one lacks.
  let held: Buffer = Buffer.from("\r\n")
  async function more(): Promise<void> {
    const { done, value } = await source.next()
    if (done) throw malformed("the body ends before its last boundary")
    held = held.byteLength === 0 ? Buffer.from(value) : Buffer.concat([held, value])
  }
  return {
    async *until(mark) {
      for (;;) {
        const at = held.indexOf(mark)
        // The mark may have begun in what is held, so that much is kept back.
        const end = at >= 0 ? at : Math.max(0, held.byteLength - mark.byteLength + 1)
        const piece = held.subarray(0, end)
        held = held.subarray(at >= 0 ? at + mark.byteLength : end)
        if (piece.byteLength > 0) yield piece
        if (at >= 0) return
        await more()
      }
    },
    async startsWith(text) {
      while (held.byteLength < text.length) await more()
      return held.subarray(0, text.length).toString("latin1") === text
    },
  }
}

function malformed(message: string): AppError {
  const told = message.startsWith("must") ? message : `must be multipart/form-data: ${message}`
  return new AppError("invalid_request", `body: ${told}`, { fields: [{ field: "body", message: told }] })
}
