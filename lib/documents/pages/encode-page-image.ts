import sharp from "sharp"
import type { PageImage } from "../page.ts"
import type { Raster } from "./render-pdf-page.ts"

/**
 * Above so many bytes a pixel a PNG holds a photograph or a noisy scan, which WebP stores in a quarter. Measured a page
 * at 150 dpi: text .06 to .15 in 8 ms as grey PNG at level 3 (lossless WebP as small, in 180 ms), photographs over 1.
 */
const PNG_BYTES_A_PIXEL_MAX = 0.4

/**
 * A page's pixels as a file: PNG, exact; or WebP of quality 80 where PNG would be large. The pool's clock bounds the time:
 * sharp's own `timeout` strikes at random, about once in 1,000 pages when both cores are busy (0.35.5).
 */
export async function encodePageImage(raster: Raster): Promise<PageImage> {
  const { width, height } = raster
  const png = await open(raster).png({ compressionLevel: 3, adaptiveFiltering: false }).toBuffer()
  if (png.byteLength <= PNG_BYTES_A_PIXEL_MAX * width * height) {
    return { bytes: png, mimeType: "image/png", width, height }
  }
  const webp = await open(raster).webp({ quality: 80, effort: 1 }).toBuffer()
  return { bytes: webp, mimeType: "image/webp", width, height }
}

function open({ pixels, width, height, channels }: Raster) {
  const image = sharp(pixels, { raw: { width, height, channels } })
  return channels === 1 ? image.toColourspace("b-w") : image.removeAlpha()
}
