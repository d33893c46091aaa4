import { median } from "../layout/boxes.ts"
import type { PixelBox, RecognisedLine } from "./open-recogniser.ts"

/** A recognised word as a word of a text: as tall as its line, whichever letters it has. */
export interface RecognisedText {
  readonly text: string
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

/**
 * How sure Tesseract is of the words, 0 to 100, dirt included: on a page that lies on its side most of what it sees is short
 * and doubtful, and without it the page would seem to read well. Null where there is none.
 */
export function confidenceOf(lines: readonly RecognisedLine[]): number | null {
  const seen = lines.flatMap(({ words }) => words).filter(({ text, confidence }) => isSeen(text, confidence))
  return seen.length === 0 ? null : seen.reduce((sum, { confidence }) => sum + confidence, 0) / seen.length
}

function isSeen(text: string, confidence: number): boolean {
  return text.trim() !== "" && confidence >= CONFIDENCE_MIN
}

/** The words of a page's lines, in their order. */
export function recognisedWords(lines: readonly RecognisedLine[]): RecognisedText[] {
  const heights = lines.map(heightOf)
  const usual = median(heights)
  return lines.flatMap((line, i) => {
    const own = heights[i] ?? usual
    return wordsOf(line, Math.abs(own - usual) <= SAME_SIZE * usual ? usual : own)
  })
}

function wordsOf(line: RecognisedLine, height: number): RecognisedText[] {
  const kept = line.words.filter(({ text, confidence, bbox }) => {
    const letters = text.trim().length
    if (!isSeen(text, confidence)) return false
    if (letters <= SHORT_LETTERS_MAX && confidence < SHORT_CONFIDENCE_MIN) return false
    return Math.max(bbox.x1 - bbox.x0, bbox.y1 - bbox.y0) > SPECK * height
  })
  return kept.map((word, i) => {
    const text = word.text.trim().normalize("NFC").toWellFormed()
    const hyphenated = i === kept.length - 1 && /\p{L}[-\u2010\u00ad]$/u.test(text)
    return {
      text: hyphenated ? `${text.slice(0, -1)}-` : text,
      hyphenated,
      box: bandOf(word.bbox, line, height),
      fontSize: height,
    }
  })
}

/** The height of its letters: of its row as Tesseract measures it, which one speck above the line doesn't change much. */
function heightOf(line: RecognisedLine): number {
  const { bbox, baseline, rowAttributes } = line
  if (isVertical(line)) return Math.max(bbox.x1 - bbox.x0, 1)
  const ink = bbox.y1 - bbox.y0 - Math.abs(baseline.y1 - baseline.y0)
  const row = rowAttributes.rowHeight
  return row > 0 && ink > 0 ? Math.min(row, ink) : Math.max(bbox.y1 - bbox.y0, 1)
}

/** Tesseract reads lines that run upright too, and boxes their words where they stand. */
function isVertical({ baseline }: RecognisedLine): boolean {
  return Math.abs(baseline.y1 - baseline.y0) > Math.abs(baseline.x1 - baseline.x0)
}

/** The word's box from the top of its line to the foot; its ink where the line's measures are not the word's. */
function bandOf(ink: PixelBox, line: RecognisedLine, height: number): PixelBox {
  if (isVertical(line)) return ink
  const { baseline, rowAttributes } = line
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
