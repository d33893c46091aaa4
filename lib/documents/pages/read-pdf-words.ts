import { AppError } from "../../errors.ts"
import type { Box, Word } from "../page.ts"
import type { PdfPage } from "./open-pdf.ts"
import { displayMatrix, type Matrix, mapBox, onPage } from "./page-geometry.ts"
import { createTextStyles, type LineBand, type TextStyle, type TextStyles } from "./text-styles.ts"

/** The text layer of a page. */
export interface TextLayer {
  /** In the order of the file. */
  readonly words: readonly Word[]
  /** Characters that stand for a letter nobody can tell: without a Unicode value, of a private area, or U+FFFD. */
  readonly unknownCharacters: number
  readonly characters: number
}

/** A newspaper's page has about 60,000. */
const CHARACTERS_MAX = 500_000

interface OpenWord {
  text: string
  x0: number
  y0: number
  x1: number
  y1: number
  readonly style: TextStyle
}

/**
 * The words of a page's text layer. A box reaches from the font's descent to its ascent and is as wide as the advances, so
 * that words of a line are equally high and lines don't overlap. Words that are outside the page are left out. Throws `document_too_large`.
 */
export function readPdfWords(page: PdfPage): TextLayer {
  const { api } = page.pdfium
  const textPage = api.FPDFText_LoadPage(page.page)
  if (textPage === 0) return { words: [], unknownCharacters: 0, characters: 0 }
  try {
    const count = api.FPDFText_CountChars(textPage)
    if (count > CHARACTERS_MAX) {
      throw new AppError("document_too_large", `Page ${page.number} has more than ${CHARACTERS_MAX} characters`)
    }
    return collectWords(page, textPage, count)
  } finally {
    api.FPDFText_ClosePage(textPage)
  }
}

function collectWords(page: PdfPage, textPage: number, count: number): TextLayer {
  const { api } = page.pdfium
  const matrix = displayMatrix(page)
  const styles = createTextStyles(page, textPage, matrix)
  const readBox = createBoxReader(page, textPage, matrix, styles)
  const words: Word[] = []
  let open: OpenWord | null = null
  let characters = 0
  let unknownCharacters = 0
  const finish = (endsLine: boolean) => {
    const word = open === null ? null : finishWord(open, endsLine, page)
    if (word !== null) words.push(word)
    open = null
  }
  for (let index = 0; index < count; index += 1) {
    const unicode = api.FPDFText_GetUnicode(textPage, index)
    if (isBreak(unicode)) {
      finish(unicode === LINE_FEED || unicode === CARRIAGE_RETURN)
      continue
    }
    // The two halves of a broken word come with nothing between them.
    const endsLine = mayBeHyphen(unicode) && api.FPDFText_IsHyphen(textPage, index) === 1
    const text = endsLine || HYPHEN_MARKS.has(unicode) ? "-" : textOf(unicode)
    if (text === "") continue
    characters += 1
    if (isUnknown(unicode) || api.FPDFText_HasUnicodeMapError(textPage, index) === 1) unknownCharacters += 1
    const box = readBox(index)
    if (open !== null && box !== null && isApart(open, box)) finish(true)
    open = addCharacter(open, text, box, index, styles)
    if (endsLine) finish(true)
  }
  finish(true)
  return { words, unknownCharacters, characters }
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** PDFium's marks for a hyphen at the end of a line. */
const HYPHEN_MARKS = new Set([0x02, 0xfffe])
const SOFT_HYPHEN = 0xad

/** PDFium is asked about these alone. */
function mayBeHyphen(unicode: number): boolean {
  return unicode === 0x2d || unicode === SOFT_HYPHEN || unicode === 0x2010 || HYPHEN_MARKS.has(unicode)
}

/** Boxes of characters; null where PDFium gives none: it made the character up, or its glyph has no size. */
function createBoxReader(
  page: PdfPage,
  textPage: number,
  matrix: Matrix,
  styles: TextStyles,
): (index: number) => Box | null {
  const { api } = page.pdfium
  // FS_RECTF: left, top, right, bottom.
  const address = page.scratch
  return (index) => {
    if (!api.FPDFText_GetLooseCharBox(textPage, index, address)) return null
    const floats = page.pdfium.floats()
    const at = address >> 2
    const box = mapBox(matrix, floats[at] ?? 0, floats[at + 3] ?? 0, floats[at + 2] ?? 0, floats[at + 1] ?? 0)
    const isBox = box.x1 > box.x0 && box.y1 > box.y0 && Number.isFinite(box.x1 - box.x0 + box.y1 - box.y0)
    return isBox ? fitLine(box, styles.styleOf(index).band) : null
  }
}

/**
 * PDFium's box is as high as the font's bounding box, up to 1.4 em, so that it reaches into the lines above and below. The
 * line's own height is taken instead, unless the character is not on that line, as in vertical writing.
 */
function fitLine(box: Box, band: LineBand | null): Box {
  if (band === null) return box
  const [from, to] = band.axis === "y" ? [box.y0, box.y1] : [box.x0, box.x1]
  if (Math.min(to, band.to) - Math.max(from, band.from) < 0.5 * (band.to - band.from)) return box
  return band.axis === "y" ? { ...box, y0: band.from, y1: band.to } : { ...box, x0: band.from, x1: band.to }
}

/** What a code point adds to a word: nothing where it shows nothing; of a ligature its letters. */
function textOf(unicode: number): string {
  if (unicode < 0x20 || unicode > 0x10_ff_ff || isInvisible(unicode)) return ""
  const text = String.fromCodePoint(unicode)
  return unicode >= 0xfb00 && unicode <= 0xfb17 ? text.normalize("NFKC") : text
}

function isBreak(unicode: number): boolean {
  return (
    unicode === 0x20 ||
    (unicode >= 0x09 && unicode <= 0x0d) ||
    unicode === 0xa0 ||
    (unicode >= 0x2000 && unicode <= 0x200b) ||
    unicode === 0x2028 ||
    unicode === 0x2029 ||
    unicode === 0x202f ||
    unicode === 0x205f ||
    unicode === 0x3000
  )
}

/** Controls, joiners, marks of direction: they would keep a word from being found. */
function isInvisible(unicode: number): boolean {
  return (
    (unicode >= 0x7f && unicode < 0xa0) ||
    (unicode >= 0x200c && unicode <= 0x200f) ||
    (unicode >= 0x202a && unicode <= 0x202e) ||
    (unicode >= 0x2060 && unicode <= 0x206f) ||
    unicode === 0xfeff
  )
}

function isUnknown(unicode: number): boolean {
  return unicode === 0xfffd || (unicode >= 0xe000 && unicode <= 0xf8ff) || unicode >= 0xf_00_00
}

/** Whether a character is too far from a word to be of it, though no space is between them: over a line's height. */
function isApart(word: Box, next: Box): boolean {
  const height = Math.max(word.y1 - word.y0, next.y1 - next.y0)
  const width = Math.max(next.x1 - next.x0, 1)
  const gapX = Math.max(next.x0 - word.x1, word.x0 - next.x1)
  const gapY = Math.max(next.y0 - word.y1, word.y0 - next.y1)
  return gapX > Math.max(height, width) || gapY > Math.max(Math.min(height, 3 * width), width) * 0.5
}

function addCharacter(
  word: OpenWord | null,
  text: string,
  box: Box | null,
  index: number,
  styles: TextStyles,
): OpenWord | null {
  // Of a character without a place nothing can be shown; inside a word (an accent) it counts.
  if (word === null) return box === null ? null : { text, ...box, style: styles.styleOf(index) }
  word.text += text
  if (box !== null) {
    word.x0 = Math.min(word.x0, box.x0)
    word.y0 = Math.min(word.y0, box.y0)
    word.x1 = Math.max(word.x1, box.x1)
    word.y1 = Math.max(word.y1, box.y1)
  }
  return word
}

function finishWord(open: OpenWord, endsLine: boolean, page: PdfPage): Word | null {
  const box = onPage(open, page.width, page.height)
  const soft = String.fromCharCode(SOFT_HYPHEN)
  const hyphenated = endsLine && open.text.length > 1 && /[-\u2010\u00ad]$/u.test(open.text)
  const text = (hyphenated ? `${open.text.slice(0, -1)}-` : open.text)
    .replaceAll(soft, "")
    .normalize("NFC")
    .toWellFormed()
  if (box === null || text === "") return null
  const { fontSize, bold } = open.style
  return { text, ...box, fontSize: fontSize > 0 ? fontSize : box.y1 - box.y0, bold, hyphenated }
}
