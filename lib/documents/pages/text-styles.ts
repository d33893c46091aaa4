import type { PdfPage } from "./open-pdf.ts"
import { type Matrix, map } from "./page-geometry.ts"

/** How a character is set. */
export interface TextStyle {
  /** Points as displayed; 0 where it can't be told. */
  readonly fontSize: number
  readonly bold: boolean
  /** From descent to ascent, where its line is level or upright as displayed; null where it is oblique or can't be told. */
  readonly band: LineBand | null
}

/** The strip of the page that a line takes. */
export interface LineBand {
  /** The direction in which the strip is thin. */
  readonly axis: "x" | "y"
  readonly from: number
  readonly to: number
}

export interface TextStyles {
  /** Of the character of this index. */
  styleOf(index: number): TextStyle
}

const UNKNOWN: TextStyle = { fontSize: 0, bold: false, band: null }

/** Weights that foundries call semi-bold and bolder. PDFium tells it from the font's stems where the font doesn't say. */
const BOLD_WEIGHT_MIN = 600
const BOLD_NAMES = /bold|black|heavy|demi(?!-?light)/iu
/** PDF's text rendering mode 2: filled and stroked, which is how programs make a font bold that has no bold face. */
const FILLED_AND_STROKED = 2
const NAME_BYTES_MAX = 128

/** Ascent and descent that text fonts have. Many files give the font's bounding box instead, a third higher. */
const ASCENT = { least: 0.65, most: 0.76 }
const DESCENT = { least: 0.18, most: 0.23 }
/** A tangent of a degree: what leans more is oblique. */
const LEAN_MAX = 0.02

interface FontTraits {
  readonly bold: boolean
  readonly ascent: number
  readonly descent: number
}

/** Reads sizes, weights and lines, once for each run of characters and once for each font. `matrix`: to the page as displayed. */
export function createTextStyles(page: PdfPage, textPage: number, matrix: Matrix): TextStyles {
  const { api } = page.pdfium
  const fonts = new Map<number, FontTraits>()
  let lastObject = 0
  let lastStyle = UNKNOWN
  const read = (index: number, object: number): TextStyle => {
    const font = api.FPDFTextObj_GetFont(object)
    const traits = fonts.get(font) ?? readTraits(page, font)
    fonts.set(font, traits)
    const stroked = api.FPDFTextObj_GetTextRenderMode(object) === FILLED_AND_STROKED
    const [upX, upY] = readUp(page, textPage, index, matrix)
    return {
      fontSize: Math.hypot(upX, upY),
      bold: traits.bold || stroked,
      band: bandOf(readOrigin(page, textPage, index, matrix), [upX, upY], traits),
    }
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

function readTraits(page: PdfPage, font: number): FontTraits {
  if (font === 0) return { bold: false, ascent: ASCENT.most, descent: DESCENT.most }
  const { api, floats } = page.pdfium
  const at = page.scratch >> 2
  const ascent = api.FPDFFont_GetAscent(font, 1, page.scratch) ? (floats()[at] ?? 0) : 0
  const descent = api.FPDFFont_GetDescent(font, 1, page.scratch) ? -(floats()[at] ?? 0) : 0
  return { bold: isBold(page, font), ascent: within(ascent, ASCENT), descent: within(descent, DESCENT) }
}

function within(value: number, { least, most }: { readonly least: number; readonly most: number }): number {
  return Math.min(most, Math.max(least, value))
}

function isBold(page: PdfPage, font: number): boolean {
  const { api } = page.pdfium
  if (api.FPDFFont_GetWeight(font) >= BOLD_WEIGHT_MIN) return true
  const length = api.FPDFFont_GetBaseFontName(font, page.scratch, NAME_BYTES_MAX)
  if (length === 0 || length > NAME_BYTES_MAX) return false
  const name = page.pdfium.bytes().slice(page.scratch, page.scratch + length - 1)
  return BOLD_NAMES.test(new TextDecoder("latin1").decode(name))
}

/** One em upwards, as displayed: many programs set size 1 and scale by the text matrix. */
function readUp(page: PdfPage, textPage: number, index: number, [a, b, c, d]: Matrix): [x: number, y: number] {
  const { api } = page.pdfium
  const size = api.FPDFText_GetFontSize(textPage, index)
  if (!api.FPDFText_GetMatrix(textPage, index, page.scratch)) return [c * size, d * size]
  const floats = page.pdfium.floats()
  const at = page.scratch >> 2
  const [x, y] = [(floats[at + 2] ?? 0) * size, (floats[at + 3] ?? 1) * size]
  return [a * x + c * y, b * x + d * y]
}

function readOrigin(page: PdfPage, textPage: number, index: number, matrix: Matrix): [x: number, y: number] | null {
  const { api } = page.pdfium
  if (!api.FPDFText_GetCharOrigin(textPage, index, page.scratch, page.scratch + 8)) return null
  const doubles = page.pdfium.doubles()
  const at = page.scratch >> 3
  return map(matrix, doubles[at] ?? 0, doubles[at + 1] ?? 0)
}

function bandOf(
  origin: readonly [number, number] | null,
  up: readonly [number, number],
  font: FontTraits,
): LineBand | null {
  if (origin === null) return null
  const [across, axis] = Math.abs(up[1]) >= Math.abs(up[0]) ? ([0, "y"] as const) : ([1, "x"] as const)
  const along = 1 - across
  const [em = 0, lean = 0, base = 0] = [up[along], up[across], origin[along]]
  if (Math.abs(lean) > LEAN_MAX * Math.abs(em)) return null
  const [top, bottom] = [base + em * font.ascent, base - em * font.descent]
  return { axis, from: Math.min(top, bottom), to: Math.max(top, bottom) }
}
