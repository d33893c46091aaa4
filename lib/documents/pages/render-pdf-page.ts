import { AppError } from "../../errors.ts"
import type { PdfPage } from "./open-pdf.ts"

/**
 * Uncompressed pixels: 1 channel of grey, or red, green, blue and a fourth byte that means nothing. They lie in memory that
 * the thread's next raster overwrites.
 */
export interface Raster {
  readonly pixels: Uint8Array
  readonly width: number
  readonly height: number
  readonly channels: 1 | 4
  /** Pixels a point: lower than asked where the page is too large. */
  readonly scale: number
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
  const { pdfium } = page
  const { api } = pdfium
  const { scale, width, height } = rasterSize(page, dpi)
  const stride = width * 4
  pdfium.forgetRefusal()
  const buffer = allocateBitmap(page, stride * height)
  try {
    const bitmap = api.FPDFBitmap_CreateEx(width, height, FORMAT_BGRX, buffer, stride)
    api.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE)
    api.FPDF_RenderPageBitmap(bitmap, page.page, 0, 0, width, height, 0, RENDER_FLAGS)
    api.FPDF_FFLDraw(page.form, bitmap, page.page, 0, 0, width, height, 0, RENDER_FLAGS)
    api.FPDFBitmap_Destroy(bitmap)
    if (pdfium.wasRefused()) throw tooLarge(page.number)
    const rgbx = pdfium.bytes().subarray(buffer, buffer + stride * height)
    const grey = toGrey(rgbx)
    return { pixels: grey ?? copy(rgbx), width, height, channels: grey === null ? 4 : 1, scale }
  } finally {
    pdfium.release(buffer)
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

let memory = new Uint8Array(0)

/** The same memory for every raster: fresh 9 MB a page wait for the garbage collector, 60 MB of them at a time. */
function takePixels(bytes: number): Uint8Array {
  if (memory.length < bytes) memory = new Uint8Array(bytes)
  return memory.subarray(0, bytes)
}

function copy(pixels: Uint8Array): Uint8Array {
  const taken = takePixels(pixels.length)
  taken.set(pixels)
  return taken
}

/** One byte a pixel, or null where a pixel has colour. A grey page is stored in half the bytes and half the time. */
function toGrey(rgbx: Uint8Array): Uint8Array | null {
  const pixels = new Uint32Array(rgbx.buffer, rgbx.byteOffset, rgbx.byteLength >> 2)
  const grey = takePixels(pixels.length)
  for (let index = 0; index < pixels.length; index += 1) {
    const pixel = pixels[index] ?? 0
    if (((pixel ^ (pixel >>> 8)) & 0xff_ff) !== 0) return null
    grey[index] = pixel & 0xff
  }
  return grey
}
