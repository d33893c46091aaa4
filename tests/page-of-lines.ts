import sharp from "sharp"
import type { Box } from "../lib/documents/page.ts"
import { randomFrom } from "../lib/random.ts"

/** A line of a drawn page, pixels. */
export interface DrawnLine {
  readonly left: number
  readonly right: number
  readonly baseline: number
  /** Of its letters, 1 to 254; the paper is 255. Lines of different grey can be told apart in a picture. */
  readonly grey: number
}

interface PageOfLines {
  readonly width: number
  readonly height: number
  readonly lines: readonly DrawnLine[]
  /** Height of the letters' font, pixels: they rise 0.75 of it over the baseline and fall 0.25 below. */
  readonly fontSize: number
}

/**
 * A page of strokes that stand as letters do, some with ascenders, some with descenders, on white: text without a font.
 * Grey, one byte a pixel.
 */
export function drawLines({ width, height, lines, fontSize }: PageOfLines): Buffer {
  const pixels = Buffer.alloc(width * height, 255)
  const random = randomFrom(7)
  for (const line of lines) {
    const letters = Math.floor((line.right - line.left - fontSize * 0.4) / (fontSize * 0.5)) + 1
    for (let letter = 0; letter < letters; letter++) {
      // The first two have an ascender and a descender, so that every line has its full height.
      drawLetter(pixels, width, line, fontSize, letter, [0.1, 0.3][letter] ?? random())
    }
  }
  return pixels
}

/** A letter of a kind from 0 to 1: with an ascender, with a descender, without either, or a space. */
function drawLetter(
  pixels: Buffer,
  width: number,
  { left, baseline, grey }: DrawnLine,
  fontSize: number,
  letter: number,
  kind: number,
): void {
  if (kind > 0.85) return
  const x = left + letter * fontSize * 0.5
  const top = baseline - fontSize * (kind < 0.2 ? 0.75 : 0.5)
  const bottom = baseline + (kind >= 0.2 && kind < 0.4 ? fontSize * 0.25 : 0)
  const thickness = fontSize * 0.1
  const middle = (top + baseline) / 2
  fill(pixels, width, [x, top, x + thickness, bottom], grey)
  fill(pixels, width, [x + fontSize * 0.25, top, x + fontSize * 0.25 + thickness, bottom], grey)
  fill(pixels, width, [x, middle, x + fontSize * 0.35, middle + thickness], grey)
}

function fill(pixels: Buffer, width: number, [x0, y0, x1, y1]: [number, number, number, number], grey: number): void {
  for (let y = Math.round(y0); y < Math.round(y1); y++)
    pixels.fill(grey, y * width + Math.round(x0), y * width + Math.round(x1))
}

/** The drawn pixels as a picture of a page, in colour, as pages are stored. */
export async function storedPage(pixels: Buffer, width: number, height: number, format: "png" | "webp" = "png") {
  const image = sharp(pixels, { raw: { width, height, channels: 1 } }).toColourspace("srgb")
  return format === "png" ? image.png().toBuffer() : image.webp({ lossless: true, effort: 0 }).toBuffer()
}

/** Where lines stand, 0 to 1 of the page: the box of a font, which is as high as its size. */
export function boxOf(lines: readonly DrawnLine[], { width, height, fontSize }: Omit<PageOfLines, "lines">): Box {
  return {
    x0: Math.min(...lines.map(({ left }) => left)) / width,
    y0: Math.min(...lines.map(({ baseline }) => baseline - fontSize * 0.75)) / height,
    x1: Math.max(...lines.map(({ right }) => right)) / width,
    y1: Math.max(...lines.map(({ baseline }) => baseline + fontSize * 0.25)) / height,
  }
}
