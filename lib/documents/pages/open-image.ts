import sharp, { type Metadata } from "sharp"
import { AppError } from "../../errors.ts"
import { type Raster, rasterSize } from "./render-pdf-page.ts"

/** A picture file that is open; a page for each picture of a TIFF. */
export interface ImageFile {
  readonly pageCount: number
  /** The pixels of page `number`, from 1, upright, at most `dpi`; and its size in points. */
  readPage(number: number, dpi: number): Promise<ImagePage>
  /** The same without colour. */
  readGreyPage(number: number, dpi: number): Promise<ImagePage<1>>
}

interface ImagePage<Channels extends 1 | 3 = 1 | 3> {
  readonly raster: Raster<Channels>
  readonly width: number
  readonly height: number
}

/** 10,000 × 10,000: 300 MB where a format has to be decoded at once. */
const PIXELS_MAX = 100_000_000
/** Cameras and screens write 72 or 96 and mean nothing by it. */
const DPI_MIN = 100
const DPI_MAX = 1_200
/** Without a resolution the long side is taken for that of A4, inches. */
const LONG_SIDE_INCHES = 11.69
const DPI_GUESSED_MIN = 36
const DPI_GUESSED_MAX = 600

/**
 * Opens PNG, JPEG, WebP or TIFF; what it is must have been told by its first bytes, for sharp would open SVG too.
 * Throws `document_unreadable`, `document_too_large`.
 */
export async function openImage(path: string): Promise<ImageFile> {
  const first = await readMetadata(path, 0)
  const pageCount = first.pages ?? 1
  const metadataOf = async (number: number) => (number === 1 ? first : await readMetadata(path, number - 1))
  return {
    pageCount,
    async readPage(number, dpi) {
      const metadata = await metadataOf(number)
      const isGrey = metadata.space === "b-w" || metadata.channels <= 2
      return await decodePage(path, number, metadata, { dpi, channels: isGrey ? 1 : 3 })
    },
    async readGreyPage(number, dpi) {
      return await decodePage(path, number, await metadataOf(number), { dpi, channels: 1 })
    },
  }
}

function open(path: string, page: number) {
  return sharp(path, { page, pages: 1, limitInputPixels: PIXELS_MAX, sequentialRead: true, failOn: "error" })
}

async function readMetadata(path: string, page: number): Promise<Metadata> {
  const metadata = await open(path, page)
    .metadata()
    .catch((cause: unknown) => {
      throw unreadable(page + 1, cause)
    })
  if (metadata.width * metadata.height > PIXELS_MAX) {
    throw new AppError(
      "document_too_large",
      `Picture ${page + 1} has more than ${PIXELS_MAX} pixels. Lower its resolution`,
    )
  }
  return metadata
}

async function decodePage<Channels extends 1 | 3>(
  path: string,
  number: number,
  metadata: Metadata,
  { dpi, channels }: { readonly dpi: number; readonly channels: Channels },
): Promise<ImagePage<Channels>> {
  // EXIF: 5 to 8 lie on their side.
  const { width: pixelsWide, height: pixelsHigh } = metadata.autoOrient
  const own = resolutionOf(metadata)
  const size = { width: (pixelsWide * 72) / own, height: (pixelsHigh * 72) / own }
  // Nothing is gained by more pixels than the file has.
  const { width, height, scale } = rasterSize(size, Math.min(dpi, own))
  const pixels = await open(path, number - 1)
    .autoOrient()
    .flatten({ background: "white" })
    .resize(width, height, { fit: "fill" })
    .toColourspace(channels === 1 ? "b-w" : "srgb")
    .raw()
    .toBuffer()
    .catch((cause: unknown) => {
      throw unreadable(number, cause)
    })
  return { raster: { pixels, width, height, channels, scale, release() {} }, ...size }
}

function resolutionOf({ density, width, height }: Metadata): number {
  if (density !== undefined && density >= DPI_MIN && density <= DPI_MAX) return density
  return Math.min(DPI_GUESSED_MAX, Math.max(DPI_GUESSED_MIN, Math.max(width, height) / LONG_SIDE_INCHES))
}

function unreadable(number: number, cause: unknown): AppError {
  return new AppError("document_unreadable", `Picture ${number} is damaged and can't be read`, { cause })
}
