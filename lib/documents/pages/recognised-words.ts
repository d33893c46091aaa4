import type { PixelBox, RecognisedLine } from "./open-recogniser.ts"

/** A recognised word as a word of a text: as tall as its line, whichever letters it has. */
export interface RecognisedText {
  readonly text: string
  /** 0 to 100. */
  readonly confidence: number
  readonly hyphenated: boolean
  /** Pixels. */
  readonly box: PixelBox
  /** Height of its line, from the longest descender to the highest ascender; pixels. */
  readonly fontSize: number
}

/** Words of lower confidence are shapes in pictures, specks and lines; of one or two letters, dirt in the margin. */
const CONFIDENCE_MIN = 25
const SHORT_CONFIDENCE_MIN = 50
const SHORT_LETTERS_MAX = 2
/** What is smaller than this share of the line in both directions is a speck: Tesseract is sure that it is a bar. */
const SPECK = 0.2
/** Lines whose heights differ by less from the usual one are of one size: dirt and accents change a line's by so much. */
const SAME_SIZE = 0.25
/** Ink beyond the line by more than this share of its height is dirt. */
const BEYOND = 0.25

/** The words of a page's lines, in their order. */
export function recognisedWords(lines: readonly RecognisedLine[]): RecognisedText[] {
  const heights = lines.map(heightOf)
  const usual = heights.toSorted((a, b) => a - b)[heights.length >> 1] ?? 0
  return lines.flatMap((line, i) => {
    const own = heights[i] ?? usual
    return wordsOf(line, Math.abs(own - usual) <= SAME_SIZE * usual ? usual : own)
  })
}

function wordsOf(line: RecognisedLine, height: number): RecognisedText[] {
  const kept = line.words.filter(({ text, confidence, bbox }) => {
    const letters = text.trim().length
    if (letters === 0 || confidence < CONFIDENCE_MIN) return false
    if (letters <= SHORT_LETTERS_MAX && confidence < SHORT_CONFIDENCE_MIN) return false
    return Math.max(bbox.x1 - bbox.x0, bbox.y1 - bbox.y0) > SPECK * height
  })
  return kept.map((word, i) => {
    const text = word.text.trim().normalize("NFC").toWellFormed()
    const hyphenated = i === kept.length - 1 && /\p{L}[-\u2010\u00ad]$/u.test(text)
    return {
      text: hyphenated ? `${text.slice(0, -1)}-` : text,
      confidence: word.confidence,
      hyphenated,
      box: bandOf(word.bbox, line, height),
      fontSize: height,
    }
  })
}

/** The height of its letters: of its row as Tesseract measures it, which one speck above the line doesn't change much. */
function heightOf({ bbox, baseline, rowAttributes }: RecognisedLine): number {
  const ink = bbox.y1 - bbox.y0 - Math.abs(baseline.y1 - baseline.y0)
  const row = rowAttributes.rowHeight
  return row > 0 && ink > 0 ? Math.min(row, ink) : Math.max(bbox.y1 - bbox.y0, 1)
}

/** The word's box from the top of its line to the foot; its ink where the line's measures are not the word's. */
function bandOf(ink: PixelBox, { baseline, rowAttributes }: RecognisedLine, height: number): PixelBox {
  const slope = (baseline.y1 - baseline.y0) / Math.max(1, baseline.x1 - baseline.x0)
  const foot = baseline.y0 + slope * ((ink.x0 + ink.x1) / 2 - baseline.x0) + rowAttributes.descenders
  const top = foot - height
  const shared = Math.min(foot, ink.y1) - Math.max(top, ink.y0)
  if (!(shared > 0.5 * (ink.y1 - ink.y0))) return ink
  const beyond = BEYOND * height
  return {
    x0: ink.x0,
    x1: ink.x1,
    y0: Math.max(0, Math.min(top, Math.max(ink.y0, top - beyond))),
    y1: Math.max(foot, Math.min(ink.y1, foot + beyond)),
  }
}
