import type { PdfPage } from "./open-pdf.ts"

/** How a character is set. */
export interface TextStyle {
  /** Points as displayed; 0 where it can't be told. */
  readonly fontSize: number
  readonly bold: boolean
}

export interface TextStyles {
  /** Of the character of this index. */
  styleOf(index: number): TextStyle
}

const UNKNOWN: TextStyle = { fontSize: 0, bold: false }

/** Weights that foundries call semi-bold and bolder. PDFium tells it from the font's stems where the font doesn't say. */
const BOLD_WEIGHT_MIN = 600
const BOLD_NAMES = /bold|black|heavy|demi(?!-?light)/iu
/** PDF's text rendering mode 2: filled and stroked, which is how programs make a font bold that has no bold face. */
const FILLED_AND_STROKED = 2
const NAME_BYTES_MAX = 128

/** Reads sizes and weights, once for each run of characters and once for each font. */
export function createTextStyles(page: PdfPage, textPage: number): TextStyles {
  const { api } = page.pdfium
  const boldFonts = new Map<number, boolean>()
  let lastObject = 0
  let lastStyle = UNKNOWN
  const read = (index: number, object: number): TextStyle => {
    const font = api.FPDFTextObj_GetFont(object)
    let bold = boldFonts.get(font)
    if (bold === undefined) {
      bold = font !== 0 && isBold(page, font)
      boldFonts.set(font, bold)
    }
    const stroked = api.FPDFTextObj_GetTextRenderMode(object) === FILLED_AND_STROKED
    return { fontSize: api.FPDFText_GetFontSize(textPage, index) * scaleOf(page, textPage, index), bold: bold || stroked }
  }
  return {
    styleOf(index) {
      const object = api.FPDFText_GetTextObject(textPage, index)
      if (object === 0) return UNKNOWN
      if (object !== lastObject) {
        lastObject = object
        lastStyle = read(index, object)
      }
      return lastStyle
    },
  }
}

function isBold(page: PdfPage, font: number): boolean {
  const { api } = page.pdfium
  if (api.FPDFFont_GetWeight(font) >= BOLD_WEIGHT_MIN) return true
  const length = api.FPDFFont_GetBaseFontName(font, page.scratch, NAME_BYTES_MAX)
  if (length === 0 || length > NAME_BYTES_MAX) return false
  const name = page.pdfium.bytes().slice(page.scratch, page.scratch + length - 1)
  return BOLD_NAMES.test(new TextDecoder("latin1").decode(name))
}

/** How much the text matrix stretches letters upwards: many programs set size 1 and scale by it. */
function scaleOf(page: PdfPage, textPage: number, index: number): number {
  if (!page.pdfium.api.FPDFText_GetMatrix(textPage, index, page.scratch)) return 1
  const floats = page.pdfium.floats()
  const at = page.scratch >> 2
  return Math.hypot(floats[at + 2] ?? 0, floats[at + 3] ?? 1)
}
