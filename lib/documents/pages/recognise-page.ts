import type { Word } from "../page.ts"
import type { PixelBox, Recogniser, Recognition } from "./open-recogniser.ts"
import { confidenceOf, recognisedWords } from "./recognised-words.ts"
import type { Raster } from "./render-pdf-page.ts"
import { type QuarterTurns, turnBox, turnPixels } from "./turn-pixels.ts"

/** What was recognised on a page. */
export interface RecognisedPage {
  /** Boxes in points, as the page is displayed. In the order of recognition. */
  readonly words: readonly Word[]
  /** Mean over the words, 0 to 100; null where there are none. */
  readonly confidence: number | null
}

/** Dots an inch at which letters of usual size are some 25 pixels high, what Tesseract was trained for. */
export const RECOGNITION_DPI = 200

/** An upright page of a fair scan has 85 and more; one that lies on its side or head under 50. */
const UPRIGHT_CONFIDENCE = 70

/**
 * Recognises the words of a page. One that reads badly is tried on its head, or where its lines run upright on both sides;
 * the way that reads best is taken. Words stand where they are displayed, however the page lies.
 */
export function recognisePage(recogniser: Recogniser, raster: Raster<1>): RecognisedPage {
  const grey = raster.pixels
  const read = (turns: QuarterTurns): RecognisedPage => {
    const turned = turnPixels(grey, raster.width, raster.height, turns)
    const found = recogniser.recognise(turned.pixels, turned.width, turned.height, raster.scale * 72)
    return toPage(found, raster, turns)
  }
  const upright = read(0)
  if ((upright.confidence ?? 0) >= UPRIGHT_CONFIDENCE) return upright
  const others = linesAreUpright(grey, raster.width, raster.height) ? ([1, 3] as const) : ([2] as const)
  let best = upright
  for (const turns of others) {
    const page = read(turns)
    if (score(page) > score(best)) best = page
    if ((page.confidence ?? 0) >= UPRIGHT_CONFIDENCE) break
  }
  return best
}

/** Letters, each with the confidence of its word. */
function score({ words, confidence }: RecognisedPage): number {
  return words.reduce((letters, { text }) => letters + text.length, 0) * ((confidence ?? 0) / 100) ** 2
}

function toPage({ lines }: Recognition, raster: Raster, turns: QuarterTurns): RecognisedPage {
  const words = recognisedWords(lines).map(({ text, hyphenated, box, fontSize }) => ({
    ...toPoints(box, raster, turns),
    text,
    fontSize: fontSize / raster.scale,
    bold: false,
    hyphenated,
  }))
  return { words, confidence: confidenceOf(lines) }
}

function toPoints(box: PixelBox, raster: Raster, turns: QuarterTurns): PixelBox {
  const { x0, y0, x1, y1 } = turnBox(box, raster.width, raster.height, turns)
  const { scale } = raster
  return { x0: x0 / scale, y0: y0 / scale, x1: x1 / scale, y1: y1 / scale }
}

/** Every fourth pixel tells as much. */
const STEP = 4

/**
 * Whether lines of text run from top to bottom. Between lines there is white, so that the darkness of rows (or of columns,
 * where lines are upright) goes up and down; the direction in which it does more from one to the next has the lines across it.
 */
function linesAreUpright(grey: Uint8Array, width: number, height: number): boolean {
  const rows = new Float64Array(Math.floor(height / STEP))
  const columns = new Float64Array(Math.floor(width / STEP))
  for (let row = 0; row < rows.length; row += 1) {
    for (let column = 0; column < columns.length; column += 1) {
      const dark = 255 - (grey[row * STEP * width + column * STEP] ?? 255)
      rows[row] = (rows[row] ?? 0) + dark / columns.length
      columns[column] = (columns[column] ?? 0) + dark / rows.length
    }
  }
  return ripple(columns) > ripple(rows)
}

function ripple(profile: Float64Array): number {
  let sum = 0
  for (let index = 1; index < profile.length; index += 1) {
    sum += ((profile[index] ?? 0) - (profile[index - 1] ?? 0)) ** 2
  }
  return sum / Math.max(1, profile.length)
}
