import type { Box } from "../page.ts"
import type { PdfPage } from "./open-pdf.ts"
import { boxAround, compose, type Matrix, map, objectMatrix, onPage } from "./page-geometry.ts"

type Point = readonly [x: number, y: number]

interface Subpath {
  readonly points: Point[]
  /** A curve is no ruling line. */
  straight: boolean
}

/** A path of a drawing has more; the frame of a table has few. */
const SEGMENTS_MAX = 200
/** Lines thicker than this are bars, shorter ones are dashes or parts of letters; points. */
const THICKNESS_MAX = 2
const LENGTH_MIN = 6
/** How far from level a line may be, points. */
const SLANT_MAX = 0.5

const SEGMENT_LINE = 0
const SEGMENT_MOVE = 2

/** The level and upright lines of a path: its strokes, and what it fills as thinly as a line. */
export function readPathRules(page: PdfPage, path: number, matrix: Matrix): Box[] {
  const mode = readDrawMode(page, path)
  const count = page.pdfium.api.FPDFPath_CountSegments(path)
  if ((!mode.fills && !mode.strokes) || count < 2 || count > SEGMENTS_MAX) return []
  const toDisplay = compose(matrix, objectMatrix(page, path))
  const lines: Box[] = []
  for (const subpath of readSubpaths(page, path, count, toDisplay)) {
    if (!subpath.straight || subpath.points.length < 2) continue
    if (mode.strokes) lines.push(...strokesOf(subpath.points, strokeWidth(page, path, toDisplay)))
    else lines.push(boxAround(subpath.points))
  }
  return lines.filter(isRule).flatMap((line) => onPage(line, page.width, page.height) ?? [])
}

function readDrawMode(page: PdfPage, path: number): { readonly fills: boolean; readonly strokes: boolean } {
  if (!page.pdfium.api.FPDFPath_GetDrawMode(path, page.scratch, page.scratch + 4))
    return { fills: false, strokes: false }
  const ints = page.pdfium.ints()
  return { fills: ints[page.scratch >> 2] !== 0, strokes: ints[(page.scratch >> 2) + 1] !== 0 }
}

function readSubpaths(page: PdfPage, path: number, count: number, matrix: Matrix): Subpath[] {
  const { api } = page.pdfium
  const subpaths: Subpath[] = []
  for (let index = 0; index < count; index += 1) {
    const segment = api.FPDFPath_GetPathSegment(path, index)
    const type = api.FPDFPathSegment_GetType(segment)
    if (!api.FPDFPathSegment_GetPoint(segment, page.scratch, page.scratch + 4)) continue
    const [x = 0, y = 0] = page.pdfium.floats().subarray(page.scratch >> 2, (page.scratch >> 2) + 2)
    if (type === SEGMENT_MOVE || subpaths.length === 0) subpaths.push({ points: [], straight: true })
    const subpath = subpaths.at(-1)
    if (subpath === undefined) continue
    subpath.points.push(map(matrix, x, y))
    if (type !== SEGMENT_LINE && type !== SEGMENT_MOVE) subpath.straight = false
    const first = subpath.points[0]
    if (first !== undefined && api.FPDFPathSegment_GetClose(segment)) subpath.points.push(first)
  }
  return subpaths
}

function strokeWidth(page: PdfPage, path: number, [a, b, c, d]: Matrix): number {
  if (!page.pdfium.api.FPDFPageObj_GetStrokeWidth(path, page.scratch)) return 0
  return (page.pdfium.floats()[page.scratch >> 2] ?? 0) * Math.sqrt(Math.abs(a * d - b * c))
}

/** A box for each side that is level or upright. The thinnest line that is drawn is a tenth of a point here. */
function strokesOf(points: readonly Point[], width: number): Box[] {
  const half = Math.max(width, 0.1) / 2
  const boxes: Box[] = []
  for (let index = 1; index < points.length; index += 1) {
    const [from, to] = [points[index - 1], points[index]]
    if (from === undefined || to === undefined) continue
    const box = boxAround([from, to])
    if (box.y1 - box.y0 <= SLANT_MAX) boxes.push({ ...box, y0: box.y0 - half, y1: box.y1 + half })
    else if (box.x1 - box.x0 <= SLANT_MAX) boxes.push({ ...box, x0: box.x0 - half, x1: box.x1 + half })
  }
  return boxes
}

function isRule(box: Box): boolean {
  const [width, height] = [box.x1 - box.x0, box.y1 - box.y0]
  return Math.min(width, height) <= THICKNESS_MAX && Math.max(width, height) >= LENGTH_MIN
}
