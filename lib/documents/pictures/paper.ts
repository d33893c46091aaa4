import type { PixelArea } from "./crop-area.ts"
import type { Pixels } from "./open-image.ts"

/** Pixels that tell the colour of the paper. */
const SAMPLES_MAX = 20_000

/** A colour, one value a channel. */
export type Paper = readonly number[]

/**
 * The colour of the paper: the most frequent one, first by the upper four bits of each channel, because the noise of a scan
 * spreads paper over many colours while ink is often exactly black.
 */
export function paperOf({ data, width, height, channels }: Pixels): Paper {
  const stride = Math.max(1, Math.floor((width * height) / SAMPLES_MAX)) * channels
  const end = width * height * channels
  const key = (at: number, shift: number) => {
    let colour = 0
    for (let c = 0; c < channels; c++) colour = colour * 256 + (((data[at + c] ?? 0) >> shift) << shift)
    return colour
  }
  const coarse = new Map<number, number>()
  for (let at = 0; at < end; at += stride) count(coarse, key(at, 4))
  const common = mostFrequent(coarse)
  const exact = new Map<number, number>()
  for (let at = 0; at < end; at += stride) if (key(at, 4) === common) count(exact, key(at, 0))
  const colour = mostFrequent(exact)
  return Array.from({ length: channels }, (_, c) => (colour >> (8 * (channels - 1 - c))) & 255)
}

/** What is inside `shown`, which lies within the pixels, on paper of the size of `sheet`, which holds `shown`. */
export function onPaper(pixels: Pixels, shown: PixelArea, sheet: PixelArea, paper: Paper): Pixels {
  const { channels } = pixels
  const width = sheet.right - sheet.left
  const height = sheet.bottom - sheet.top
  const data = Buffer.alloc(width * height * channels, Buffer.from(paper))
  for (let y = shown.top; y < shown.bottom; y++) {
    const from = (y * pixels.width + shown.left) * channels
    const to = ((y - sheet.top) * width + shown.left - sheet.left) * channels
    pixels.data.copy(data, to, from, from + (shown.right - shown.left) * channels)
  }
  return { data, width, height, channels }
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function mostFrequent(counts: ReadonlyMap<number, number>): number {
  let [frequent, most] = [0, 0]
  for (const [key, times] of counts) if (times > most) [frequent, most] = [key, times]
  return frequent
}
