import type { Sharp } from "sharp"
import { AppError } from "../../errors.ts"
import type { Box } from "../page.ts"
import { type PixelArea, pixelArea, surroundings, unionOf, wholeLines, withMargin } from "./crop-area.ts"
import { imageOf, openImage, type Pixels, toPixels, unreadable } from "./open-image.ts"
import { onPaper, paperOf } from "./paper.ts"
import { PICTURE_WIDTH_MAX, type PictureFormat } from "./picture-request.ts"

/** Tallest picture that is drawn, pixels. */
const HEIGHT_MAX = 4_000
/** More shows no more of a page at 150 dpi. */
const ENLARGEMENT_MAX = 2
/** What text marked with a pen looks like: each channel of the page times this. */
const MARKER = [1, 0.93, 0.45] as const
/** What becomes of each value of red, green and blue. */
const SHADES = [shadesOf(MARKER[0]), shadesOf(MARKER[1]), shadesOf(MARKER[2])] as const

/** How a picture is wanted. */
export interface PictureOptions {
  /**
   * Pixels, at most `PICTURE_WIDTH_MAX`; the stored picture's own scale when not given. It is less where the picture
   * would be enlarged more than twice or be taller than 4,000 pixels.
   */
  readonly width?: number | undefined
  readonly format: PictureFormat
}

/** A picture, drawn. */
export interface Picture {
  readonly bytes: Uint8Array
  readonly mimeType: `image/${PictureFormat}`
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** The stored picture of a page: PNG, WebP or JPEG. */
export interface StoredPage {
  readonly bytes: Uint8Array
  /** Width of the page in points; null where nobody knows: then the picture is taken to have 150 dpi. */
  readonly widthPt: number | null
}

/**
 * The part of a page inside a box (0 to 1 of the page as displayed), exactly as asked.
 *
 * @throws AppError `internal` for a stored picture that can't be read
 */
export async function drawBox(page: StoredPage, box: Box, options: PictureOptions): Promise<Picture> {
  return readable(async () => {
    const { width, height } = await sizeOf(page)
    const area = rectangle(pixelArea(box, width, height))
    return encode(openImage(page.bytes).extract(area), area, options)
  })
}

/**
 * The union of a chunk's regions on one page, its lines whole and no half of another (`wholeLines`), with a margin of 6
 * points: of the page where it is blank, else of paper in its colour.
 *
 * @throws AppError `not_found` without regions, `internal` for a stored picture that can't be read
 */
export async function drawRegions(
  page: StoredPage,
  regions: readonly Box[],
  options: PictureOptions,
): Promise<Picture> {
  if (regions.length === 0) throw new AppError("not_found", "The passage has no place on this page")
  return readable(async () => {
    const { width, height } = await sizeOf(page)
    const pixelsPerPoint = page.widthPt ? width / page.widthPt : 150 / 72
    const area = pixelArea(unionOf(regions), width, height)
    const around = surroundings(area, width, height, pixelsPerPoint)
    const pixels = await toPixels(openImage(page.bytes).extract(rectangle(around)))
    const paper = paperOf(pixels)
    const inside = moved(area, -around.left, -around.top)
    const shown = wholeLines(pixels, inside, pixelsPerPoint, paper)
    const sheet = onPaper(pixels, shown, withMargin(inside, shown, pixelsPerPoint), paper)
    return encode(imageOf(sheet), sheet, options)
  })
}

/**
 * The whole page with regions shaded as by a marker, so that what stands there stays readable. Without regions the page
 * as it is.
 *
 * @throws AppError `internal` for a stored picture that can't be read
 */
export async function drawPage(page: StoredPage, regions: readonly Box[], options: PictureOptions): Promise<Picture> {
  return readable(async () => {
    const size = await sizeOf(page)
    if (regions.length === 0) return encode(openImage(page.bytes), size, options)
    const target = targetSize(size, options.width)
    const pixels = await toPixels(openImage(page.bytes).resize({ ...target, fit: "fill" }))
    return encode(imageOf(marked(pixels, regions)), target, { ...options, width: target.width })
  })
}

/** A new picture in colour in which the regions are shaded, once where they overlap. */
function marked({ data, width, height, channels }: Pixels, regions: readonly Box[]): Pixels {
  const isMarked = new Uint8Array(width * height)
  for (const region of regions) {
    const { left, top, right, bottom } = pixelArea(region, width, height)
    for (let y = top; y < bottom; y++) isMarked.fill(1, y * width + left, y * width + right)
  }
  const shaded = channels === 3 ? Buffer.from(data) : widened(data)
  const [red, green, blue] = SHADES
  for (let pixel = 0, at = 0; pixel < isMarked.length; pixel++, at += 3) {
    if (isMarked[pixel] === 0) continue
    shaded[at] = red[shaded[at] ?? 0] ?? 0
    shaded[at + 1] = green[shaded[at + 1] ?? 0] ?? 0
    shaded[at + 2] = blue[shaded[at + 2] ?? 0] ?? 0
  }
  return { data: shaded, width, height, channels: 3 }
}

/** Grey as red, green and blue. */
function widened(grey: Buffer): Buffer {
  const wide = Buffer.alloc(grey.length * 3)
  for (let pixel = 0, at = 0; pixel < grey.length; pixel++, at += 3) {
    const value = grey[pixel] ?? 0
    wide[at] = value
    wide[at + 1] = value
    wide[at + 2] = value
  }
  return wide
}

function shadesOf(share: number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, value) => value * share)
}

interface Size {
  readonly width: number
  readonly height: number
}

async function sizeOf({ bytes }: StoredPage): Promise<Size> {
  const { width, height } = await openImage(bytes).metadata()
  return { width, height }
}

function targetSize({ width, height }: Size, wanted: number = width): Size {
  const scale = Math.min(wanted / width, PICTURE_WIDTH_MAX / width, HEIGHT_MAX / height, ENLARGEMENT_MAX)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

async function encode(image: Sharp, size: Size, { width, format }: PictureOptions): Promise<Picture> {
  const target = targetSize(size, width)
  const scaled =
    target.width === size.width && target.height === size.height ? image : image.resize({ ...target, fit: "fill" })
  const { data, info } = await inFormat(scaled, format).toBuffer({ resolveWithObject: true })
  return { bytes: data, mimeType: `image/${format}`, width: info.width, height: info.height }
}

function inFormat(image: Sharp, format: PictureFormat): Sharp {
  // Level 6 takes twice as long for a fiftieth less.
  if (format === "png") return image.png({ compressionLevel: 3, adaptiveFiltering: false })
  // Effort 1 takes a fifth longer for a fiftieth less, 4 three times as long for a tenth less.
  if (format === "webp") return image.webp({ quality: 85, effort: 0 })
  // Halved colour would fray the edges of coloured text.
  return image.jpeg({ quality: 85, chromaSubsampling: "4:4:4" })
}

function rectangle({ left, top, right, bottom }: PixelArea) {
  return { left, top, width: right - left, height: bottom - top }
}

function moved({ left, top, right, bottom }: PixelArea, dx: number, dy: number): PixelArea {
  return { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy }
}

/** The library's own errors name no page and help nobody who looks at one. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(error)
  }
}
