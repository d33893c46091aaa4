import type { Box } from "../page.ts"
import type { Pixels } from "./open-image.ts"
import type { Paper } from "./paper.ts"

/** Points of paper around a chunk, where nothing else stands. */
const MARGIN_PT = 6
/** Of paper beyond a line that reaches over the margin. */
const STRIP_PT = 2
/** How far out a blank row is looked for first: accents and descenders reach as far over their box. */
const NEAR_PT = 4
/** Then how far in: a neighbour's descenders reach as far into the box of a tightly set line. */
const INWARD_PT = 3
/** Then how far out: a whole neighbouring line more. */
const REACH_PT = 16
/** How far a pixel's channel must be from the paper's to count as ink, of 255. */
const INK_MIN = 64

/** Whole pixels; right and bottom are outside. */
export interface PixelArea {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** A box of 0 to 1 in pixels: every pixel that it touches, at least one, none outside of the image. */
export function pixelArea(box: Box, width: number, height: number): PixelArea {
  const left = clamp(Math.floor(box.x0 * width), 0, width - 1)
  const top = clamp(Math.floor(box.y0 * height), 0, height - 1)
  const right = clamp(Math.ceil(box.x1 * width), left + 1, width)
  const bottom = clamp(Math.ceil(box.y1 * height), top + 1, height)
  return { left, top, right, bottom }
}

/** The smallest box around all of them. */
export function unionOf(boxes: readonly Box[]): Box {
  return {
    x0: Math.min(...boxes.map(({ x0 }) => x0)),
    y0: Math.min(...boxes.map(({ y0 }) => y0)),
    x1: Math.max(...boxes.map(({ x1 }) => x1)),
    y1: Math.max(...boxes.map(({ y1 }) => y1)),
  }
}

/** The smallest area around all of them. */
export function areaAround(areas: readonly PixelArea[]): PixelArea {
  return {
    left: Math.min(...areas.map(({ left }) => left)),
    top: Math.min(...areas.map(({ top }) => top)),
    right: Math.max(...areas.map(({ right }) => right)),
    bottom: Math.max(...areas.map(({ bottom }) => bottom)),
  }
}

/** What `wholeLines` may look at around an area. */
export function surroundings(area: PixelArea, width: number, height: number, pixelsPerPoint: number): PixelArea {
  const reach = Math.ceil(REACH_PT * pixelsPerPoint) + 1
  return {
    left: Math.max(0, area.left - reach),
    top: Math.max(0, area.top - reach),
    right: Math.min(width, area.right + reach),
    bottom: Math.min(height, area.bottom + reach),
  }
}

/**
 * The area out to where its lines are whole: a fixed margin shows the lower half of the line above. Each edge is moved
 * to the nearest row (or column) without ink, and from there on over blank paper until the margin is full. Where none is
 * blank, as beside a ruled line or in a scan, the rows with the least ink count as blank. Pixels decide, so that boxes
 * that are a little off, as recognition and models give them, do no harm.
 */
export function wholeLines(pixels: Pixels, area: PixelArea, pixelsPerPoint: number, paper: Paper): PixelArea {
  const { data, width, height, channels } = pixels
  const isInk = (x: number, y: number) => {
    const at = (y * width + x) * channels
    for (let c = 0; c < channels; c++) if (Math.abs((data[at + c] ?? 0) - (paper[c] ?? 0)) > INK_MIN) return true
    return false
  }
  const inRow = (left: number, right: number) => (y: number) => {
    let ink = 0
    for (let x = left; x < right; x++) if (isInk(x, y)) ink++
    return ink
  }
  const inColumn = (top: number, bottom: number) => (x: number) => {
    let ink = 0
    for (let y = top; y < bottom; y++) if (isInk(x, y)) ink++
    return ink
  }
  const inPixels = (points: number) => Math.round(points * pixelsPerPoint)
  const margin = inPixels(MARGIN_PT)
  const lines = { margin, near: inPixels(NEAR_PT), inward: inPixels(INWARD_PT), reach: inPixels(REACH_PT) }
  const row = inRow(area.left, area.right)
  const top = area.top - blankEdge(row, area.top, -1, height, lines)
  const bottom = area.bottom + blankEdge(row, area.bottom - 1, 1, height, lines)
  // Letters are apart by blank columns too, so an edge never moves in.
  const letters = { margin, near: margin, inward: 0, reach: margin }
  const column = inColumn(top, bottom)
  const left = area.left - blankEdge(column, area.left, -1, width, letters)
  const right = area.right + blankEdge(column, area.right - 1, 1, width, letters)
  return { left, top, right, bottom }
}

/**
 * The sheet that whole lines are shown on: the margin is paper of the page's colour where a neighbour or the page's edge
 * stands in it, and 2 points of it where a line that had to be taken along reaches beyond the margin.
 */
export function withMargin(area: PixelArea, whole: PixelArea, pixelsPerPoint: number): PixelArea {
  const margin = Math.round(MARGIN_PT * pixelsPerPoint)
  const strip = Math.round(STRIP_PT * pixelsPerPoint)
  const beyond = (out: number) => (out > margin ? out + strip : margin)
  return {
    left: area.left - beyond(area.left - whole.left),
    top: area.top - beyond(area.top - whole.top),
    right: area.right + beyond(whole.right - area.right),
    bottom: area.bottom + beyond(whole.bottom - area.bottom),
  }
}

interface EdgeLimits {
  readonly margin: number
  readonly near: number
  readonly inward: number
  readonly reach: number
}

/** How many rows the edge moves outward (`step` is -1 at the top, 1 at the bottom); `edge` is the outermost row inside. */
function blankEdge(
  inkAt: (row: number) => number,
  edge: number,
  step: 1 | -1,
  rows: number,
  { margin, near, inward, reach }: EdgeLimits,
): number {
  const outMax = step === 1 ? rows - 1 - edge : edge
  const inMax = Math.min(inward, step === 1 ? edge : rows - 1 - edge)
  const inks = new Map<number, number>()
  for (let out = -inMax; out <= Math.min(reach, outMax); out++) inks.set(out, inkAt(edge + out * step))
  const least = Math.min(...inks.values())
  const isBlank = (out: number) => (inks.get(out) ?? Number.POSITIVE_INFINITY) <= least
  const order = [...range(0, near), ...range(1, inMax).map((out) => -out), ...range(near + 1, reach)]
  let out = order.find(isBlank) ?? 0
  while (out < margin && isBlank(out + 1)) out++
  return out
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}
