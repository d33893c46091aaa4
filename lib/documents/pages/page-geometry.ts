import type { Box } from "../page.ts"
import type { PdfPage } from "./open-pdf.ts"

/** An affine map: x' = a·x + c·y + e, y' = b·x + d·y + f, as PDF writes its matrices. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/** Device units a point: PDFium answers in whole ones. */
const UNITS = 100
/** How far apart the points are from which the map is told, so that whole units make it right to 10⁻⁶. */
const REACH = 10_000

/**
 * The map from a page's own coordinates to points from the top left as displayed, with rotation and CropBox. Told from
 * three points once: asking PDFium for every corner of every character takes as long as reading them.
 */
export function displayMatrix(page: PdfPage): Matrix {
  const { pdfium } = page
  const result = page.scratch
  const toDisplay = (x: number, y: number): [number, number] => {
    const [width, height] = [Math.round(page.width * UNITS), Math.round(page.height * UNITS)]
    pdfium.api.FPDF_PageToDevice(page.page, 0, 0, width, height, 0, x, y, result, result + 4)
    const ints = pdfium.ints()
    return [(ints[result >> 2] ?? 0) / UNITS, (ints[(result >> 2) + 1] ?? 0) / UNITS]
  }
  const [e, f] = toDisplay(0, 0)
  const [ax, ay] = toDisplay(REACH, 0)
  const [cx, cy] = toDisplay(0, REACH)
  return [(ax - e) / REACH, (ay - f) / REACH, (cx - e) / REACH, (cy - f) / REACH, e, f]
}

/** The matrix of a page object, from its own coordinates to those of what holds it. */
export function objectMatrix(page: PdfPage, object: number): Matrix {
  if (!page.pdfium.api.FPDFPageObj_GetMatrix(object, page.scratch)) return [1, 0, 0, 1, 0, 0]
  const at = page.scratch >> 2
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = page.pdfium.floats().subarray(at, at + 6)
  return [a, b, c, d, e, f]
}

/** `inner` first, then `outer`. */
export function compose(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner
  const [x, y] = map(outer, e, f)
  const [A, B, C, D] = outer
  return [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, x, y]
}

/** A point, mapped. */
export function map([a, b, c, d, e, f]: Matrix, x: number, y: number): [x: number, y: number] {
  return [a * x + c * y + e, b * x + d * y + f]
}

/** The box around a mapped rectangle. */
export function mapBox([a, b, c, d, e, f]: Matrix, left: number, bottom: number, right: number, top: number): Box {
  return {
    x0: Math.min(a * left, a * right) + Math.min(c * bottom, c * top) + e,
    y0: Math.min(b * left, b * right) + Math.min(d * bottom, d * top) + f,
    x1: Math.max(a * left, a * right) + Math.max(c * bottom, c * top) + e,
    y1: Math.max(b * left, b * right) + Math.max(d * bottom, d * top) + f,
  }
}

/** The smallest box around points. */
export function boxAround(points: readonly (readonly [x: number, y: number])[]): Box {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y] of points) {
    x0 = Math.min(x0, x)
    y0 = Math.min(y0, y)
    x1 = Math.max(x1, x)
    y1 = Math.max(y1, y)
  }
  return { x0, y0, x1, y1 }
}

/** The part of a box that is on a page; null where none is, or where it has no size that makes sense. */
export function onPage(box: Box, width: number, height: number): Box | null {
  const cut = {
    x0: Math.max(0, box.x0),
    y0: Math.max(0, box.y0),
    x1: Math.min(width, box.x1),
    y1: Math.min(height, box.y1),
  }
  return cut.x1 > cut.x0 && cut.y1 > cut.y0 ? cut : null
}

/** Square points. */
export function areaOf(box: Box): number {
  return (box.x1 - box.x0) * (box.y1 - box.y0)
}
