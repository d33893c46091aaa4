import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { createInterface } from "node:readline"
import { PassThrough, Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import { AppError } from "../errors.ts"

/** A file of lines that was written. */
export interface WrittenLines {
  readonly rows: number
  /** Of the packed file. */
  readonly sha256: string
}

/** Writes lines, some at a time, into a packed file; a file that was there is replaced. Holds no more than some of them. */
export async function writeLines(path: string, lines: AsyncIterable<readonly string[]>): Promise<WrittenLines> {
  const hash = createHash("sha256")
  let rows = 0
  const texts = async function* () {
    for await (const some of lines) {
      rows += some.length
      if (some.length > 0) yield `${some.join("\n")}\n`
    }
  }
  const hashed = new PassThrough().on("data", (chunk: Buffer) => hash.update(chunk))
  // Vectors hardly get smaller by trying harder.
  await pipeline(Readable.from(texts()), createGzip({ level: 1 }), hashed, createWriteStream(path))
  return { rows, sha256: hash.digest("hex") }
}

/** The lines of a packed file, in order. Throws `invalid_request` for one that can't be unpacked. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const packed = createReadStream(path)
  const unpacked = createGunzip()
  // A failure of the file is one of the unpacking: whoever reads the lines hears of both.
  packed.on("error", (error) => unpacked.destroy(error))
  let failure: unknown
  unpacked.on("error", (error) => {
    failure = error
  })
  try {
    for await (const line of createInterface({ input: packed.pipe(unpacked), crlfDelay: Number.POSITIVE_INFINITY }))
      yield line
  } catch (error) {
    failure ??= error
  } finally {
    packed.destroy()
  }
  if (failure) throw new AppError("invalid_request", "A file of the export can't be unpacked", { cause: failure })
}

/** SHA-256 of a file, hexadecimal. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest("hex")
}
