import { AppError } from "../../errors.ts"
import type { PdfPage } from "./open-pdf.ts"

/**
 * Uncompressed pixels: 1 channel of grey; 3 of red, green and blue; or these and a fourth that means nothing. They may lie
 * in PDFium's own memory: read them until something else is asked of PDFium, and `release` them.
 */
export interface Raster<Channels extends 1 | 3 | 4 = 1 | 3 | 4> {
  readonly pixels: Uint8Array
  readonly width: number
  readonly height: number
  readonly channels: Channels
  /** Pixels a point: lower than asked where the page is too large. */
  readonly scale: number
  release(): void
}

/** An A2 page at 150 dpi has 8.7 million: larger ones are drawn at a lower scale. 8 million take 32 MB. */
const PIXELS_MAX = 8_000_000
/** WebP holds no more than 16,383 in one direction. */
const SIDE_MAX = 16_000

const FORMAT_BGRX = 3
/** FPDF_ANNOT | FPDF_REVERSE_BYTE_ORDER. */
const RENDER_FLAGS = 0x01 | 0x10
const WHITE = 0xff_ff_ff_ff

/** How many pixels a page has at `dpi`, within what may be drawn. */
export function rasterSize(page: { readonly width: number; readonly height: number }, dpi: number) {
  const wanted = dpi / 72
  const scale = Math.min(
    wanted,
    Math.sqrt(PIXELS_MAX / (page.width * page.height)),
    SIDE_MAX / Math.max(page.width, page.height),
  )
  return {
    scale,
    width: Math.max(1, Math.round(page.width * scale)),
    height: Math.max(1, Math.round(page.height * scale)),
  }
}

/**
 * Draws a page with its annotations and forms, at most 8 million pixels; grey where it has no colour. Throws
 * `document_too_large` where PDFium's memory isn't enough for what the page shows: half a page is no page.
 */
export function renderPdfPage(page: PdfPage, dpi: number): Raster {
  const raster = draw(page, dpi)
  return isGrey(raster.pixels) ? toGrey(page, raster) : raster
}

/** The same without colour. PDFium's own grey bitmaps stay white, or end it (2.15.1). */
export function renderGreyPdfPage(page: PdfPage, dpi: number): Raster<1> {
  return toGrey(page, draw(page, dpi))
}

type Place = Pick<Raster, "width" | "height" | "scale" | "release"> & { readonly buffer: number }

function draw(page: PdfPage, dpi: number): Raster<4> & Place {
  const { pdfium } = page
  const { api } = pdfium
  const { scale, width, height } = rasterSize(page, dpi)
  const stride = width * 4
  pdfium.forgetRefusal()
  const buffer = allocateBitmap(page, stride * height)
  const bitmap = api.FPDFBitmap_CreateEx(width, height, FORMAT_BGRX, buffer, stride)
  api.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE)
  api.FPDF_RenderPageBitmap(bitmap, page.page, 0, 0, width, height, 0, RENDER_FLAGS)
  api.FPDF_FFLDraw(page.form, bitmap, page.page, 0, 0, width, height, 0, RENDER_FLAGS)
  api.FPDFBitmap_Destroy(bitmap)
  const release = () => pdfium.release(buffer)
  if (pdfium.wasRefused()) {
    release()
    throw tooLarge(page.number)
  }
  return rasterAt(page, { buffer, width, height, scale, release }, 4)
}

/** Luma of BT.601, in 256ths; grey stays what it is. In place: the first quarter holds it. */
function toGrey(page: PdfPage, raster: Raster<4> & Place): Raster<1> {
  const { pixels, width, height } = raster
  for (let index = 0; index < width * height; index += 1) {
    const at = index * 4
    pixels[index] = ((pixels[at] ?? 0) * 77 + (pixels[at + 1] ?? 0) * 150 + (pixels[at + 2] ?? 0) * 29) >> 8
  }
  return rasterAt(page, raster, 1)
}

/**
 * Pixels where PDFium drew them. A copy would take 9 MB a page of the process's heap, which keeps them: 30 MB a thread.
 */
function rasterAt<Channels extends 1 | 4>({ pdfium }: PdfPage, place: Place, channels: Channels) {
  const { buffer, width, height, scale, release } = place
  return {
    // A view each time: it is stale when the memory has grown, as it may when the page is closed.
    get pixels() {
      return pdfium.bytes().subarray(buffer, buffer + width * height * channels)
    },
    ...{ buffer, width, height, scale, release, channels },
  }
}

function allocateBitmap(page: PdfPage, bytes: number): number {
  try {
    return page.pdfium.allocate(bytes)
  } catch (cause) {
    throw tooLarge(page.number, cause)
  }
}

/** The error of a page that needs more memory than one may have. */
export function tooLarge(number: number, cause?: unknown): AppError {
  return new AppError(
    "document_too_large",
    `Page ${number} has pictures too large to be drawn. Lower their resolution`,
    {
      cause,
    },
  )
}

/** Whether no pixel has colour. A grey page is stored in half the bytes and half the time. */
function isGrey(rgbx: Uint8Array): boolean {
  const pixels = new Uint32Array(rgbx.buffer, rgbx.byteOffset, rgbx.byteLength >> 2)
  for (const pixel of pixels) if (((pixel ^ (pixel >>> 8)) & 0xff_ff) !== 0) return false
  return true
}
