import type { Box } from "../page.ts"
import { mergeTouching } from "./merge-boxes.ts"
import type { PdfPage } from "./open-pdf.ts"
import { areaOf, compose, displayMatrix, type Matrix, mapBox, objectMatrix, onPage } from "./page-geometry.ts"
import { readPathRules } from "./read-path-rules.ts"

/** What is drawn on a page besides its words. */
export interface Drawings {
  /** Pictures, without those that are tiny or fill the page; strips of one picture in one box. */
  readonly figures: readonly Box[]
  /** Ruling lines. */
  readonly rules: readonly Box[]
  /** How much of the page pictures cover, 0 to 1. */
  readonly imageCoverage: number
  /** The most pixels that one of its pictures has: what a renderer has to decode. */
  readonly imagePixelsMax: number
  /** Paths that are drawn; letters may be drawn so. */
  readonly paths: number
}

const TEXT = 1
const PATH = 2
const IMAGE = 3
const FORM = 5

/** Of one page. A map has some 100,000 paths; beyond this only pictures and lines go unseen, no words. */
const OBJECTS_MAX = 100_000
const DEPTH_MAX = 12
const FIGURES_MAX = 500
const RULES_MAX = 5_000

/** A picture of less than a third of an inch is a bullet or an icon. */
const FIGURE_POINTS_MIN = 24
/** A picture that covers this much of the page is its scan. */
const FILLS_PAGE = 0.9

interface Found {
  readonly images: Box[]
  readonly rules: Box[]
  objects: number
  paths: number
  imagePixelsMax: number
}

/** Reads pictures and ruling lines from a page's objects, also those inside of form XObjects. */
export function readPdfDrawings(page: PdfPage): Drawings {
  const { api } = page.pdfium
  const found: Found = { images: [], rules: [], objects: 0, paths: 0, imagePixelsMax: 0 }
  const matrix = displayMatrix(page)
  const count = api.FPDFPage_CountObjects(page.page)
  for (let index = 0; index < count && found.objects < OBJECTS_MAX; index += 1) {
    visit(page, api.FPDFPage_GetObject(page.page, index), matrix, 0, found)
  }
  const pageArea = page.width * page.height
  const pictures = mergeTouching(found.images)
  return {
    figures: pictures
      .filter((box) => Math.min(box.x1 - box.x0, box.y1 - box.y0) >= FIGURE_POINTS_MIN)
      .filter((box) => areaOf(box) < FILLS_PAGE * pageArea)
      .slice(0, FIGURES_MAX),
    rules: found.rules,
    imageCoverage: Math.min(1, pictures.reduce((area, box) => area + areaOf(box), 0) / pageArea),
    imagePixelsMax: found.imagePixelsMax,
    paths: found.paths,
  }
}

function visit(page: PdfPage, object: number, matrix: Matrix, depth: number, found: Found): void {
  found.objects += 1
  switch (page.pdfium.api.FPDFPageObj_GetType(object)) {
    case TEXT:
      return
    case PATH:
      found.paths += 1
      if (found.rules.length < RULES_MAX) found.rules.push(...readPathRules(page, object, matrix))
      return
    case IMAGE:
      addImage(page, object, matrix, found)
      return
    case FORM:
      if (depth < DEPTH_MAX) visitForm(page, object, matrix, depth, found)
  }
}

function visitForm(page: PdfPage, form: number, matrix: Matrix, depth: number, found: Found): void {
  const { api } = page.pdfium
  const inner = compose(matrix, objectMatrix(page, form))
  const count = api.FPDFFormObj_CountObjects(form)
  for (let index = 0; index < count && found.objects < OBJECTS_MAX; index += 1) {
    visit(page, api.FPDFFormObj_GetObject(form, index), inner, depth + 1, found)
  }
}

function addImage(page: PdfPage, object: number, matrix: Matrix, found: Found): void {
  const { api } = page.pdfium
  if (api.FPDFImageObj_GetImagePixelSize(object, page.scratch, page.scratch + 4)) {
    const ints = page.pdfium.ints()
    const [width = 0, height = 0] = [ints[page.scratch >> 2], ints[(page.scratch >> 2) + 1]]
    found.imagePixelsMax = Math.max(found.imagePixelsMax, (width >>> 0) * (height >>> 0))
  }
  const bounds = readBounds(page, object)
  const box = bounds === null ? null : onPage(mapBox(matrix, ...bounds), page.width, page.height)
  if (box !== null) found.images.push(box)
}

function readBounds(page: PdfPage, object: number): [left: number, bottom: number, right: number, top: number] | null {
  const at = page.scratch
  if (!page.pdfium.api.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12)) return null
  const [left = 0, bottom = 0, right = 0, top = 0] = page.pdfium.floats().subarray(at >> 2, (at >> 2) + 4)
  return [left, bottom, right, top]
}
