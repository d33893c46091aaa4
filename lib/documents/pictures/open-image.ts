import sharp, { type Sharp } from "sharp"
import { AppError } from "../../errors.ts"

/**
 * Most pixels of an image, told by its head before any is decoded: an A4 page at 600 dpi has 35 million. This bounds the
 * time too: 40 million of noise as a PNG take 1.4 s, as a JPEG or WebP 2.8 s. sharp's own `timeout` is not used, for it
 * strikes at random, about once in 1,000 pictures when both cores are busy (0.35.5).
 */
const PIXELS_MAX = 40_000_000

/**
 * Loaders that none of our images needs. Blocking is one list of the whole process, its worker threads too, so only
 * these are named: a block of everything with exceptions would, for a moment, fail what another thread decodes. TIFF
 * stays for scans.
 */
const BLOCKED = [
  "Svg",
  "Nsgif",
  "Heif",
  "Uhdr",
  "Vips",
  "Magick",
  "Magick7",
  "Pdf",
  "Jp2k",
  "Jxl",
  "OpenExr",
  "OpenSlide",
  "Fits",
  "Nifti",
  "Mat",
  "Ppm",
  "Rad",
  "Csv",
  "Matrix",
  "Analyze",
  "DcRaw",
]

sharp.block({ operation: BLOCKED.map((name) => `VipsForeignLoad${name}`) })
// The cache would keep decoded pages of one tenant in memory for all; threads are for requests, not within one picture.
sharp.cache(false)
sharp.concurrency(1)

/**
 * An image of a page for reading: PNG, WebP or JPEG by its first bytes, whatever else the library could open. It is
 * decoded row by row as far as it is needed, on white, in 8 bits a channel; one of more than 40 million pixels fails
 * before it is decoded.
 *
 * @throws AppError `internal` for other bytes
 */
export function openImage(bytes: Uint8Array): Sharp {
  if (!isPng(bytes) && !isWebp(bytes) && !isJpeg(bytes)) throw unreadable()
  const options = { limitInputPixels: PIXELS_MAX, sequentialRead: true, failOn: "error" } as const
  return sharp(bytes, options).flatten({ background: "white" })
}

/** Pixels in memory as an image. */
export function imageOf({ data, width, height, channels }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels } })
}

/** Pixels row by row, `channels` bytes each: 3 for sRGB, 1 for grey. */
export interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
  readonly channels: 1 | 3
}

/** Decodes an image. */
export async function toPixels(image: Sharp): Promise<Pixels> {
  const { data, info } = await image.toColourspace("srgb").raw().toBuffer({ resolveWithObject: true })
  if (info.channels !== 1 && info.channels !== 3) throw unreadable()
  return { data, width: info.width, height: info.height, channels: info.channels }
}

/** The error of a stored picture that is none. */
export function unreadable(cause?: unknown): AppError {
  return new AppError("internal", "The stored picture of this page can't be read: ingest the document again", { cause })
}

function isPng(bytes: Uint8Array): boolean {
  return startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
}

function isJpeg(bytes: Uint8Array): boolean {
  return startsWith(bytes, 0, [0xff, 0xd8, 0xff])
}

/** `RIFF`, four bytes of length, `WEBP`. */
function isWebp(bytes: Uint8Array): boolean {
  return startsWith(bytes, 0, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes, 8, [0x57, 0x45, 0x42, 0x50])
}

function startsWith(bytes: Uint8Array, offset: number, signature: readonly number[]): boolean {
  return signature.every((byte, i) => bytes[offset + i] === byte)
}
