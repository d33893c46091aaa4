import { readFile } from "node:fs/promises"
import sharp from "sharp"
import { drawBox, drawPage, drawRegions, type StoredPage } from "../lib/documents/pictures/draw-picture.ts"
import { PictureFormat } from "../lib/documents/pictures/picture-request.ts"
import { type DrawnLine, drawLines, storedPage } from "../tests/page-of-lines.ts"
import { percentile, round } from "./metrics.ts"
import { formatTable } from "./table.ts"

/** A letter page at 150 dpi. */
const WIDTH = 1_275
const HEIGHT = 1_650
/** Twelve lines low in the right column: all rows above are decoded on the way. */
const REGION = { x0: 0.52, y0: 0.75, x1: 0.91, y1: 0.93 }

/** As photographs and noisy scans are stored. */
const STORED_WEBP = { quality: 80, effort: 1 }

/** Times of one kind of picture, ms, one after another on one core. */
export interface CropFigures {
  readonly picture: "chunk" | "box" | "page, shaded, 1,000 wide"
  readonly stored: "png" | "webp"
  readonly format: PictureFormat
  readonly kilobytes: number
  readonly p50: number
  readonly p95: number
  /** Processor time of one picture, which other work on the machine doesn't lengthen. */
  readonly cpu: number
}

interface CropBench {
  readonly rounds: number
  /** A picture of a page in place of the drawn one. */
  readonly page?: string | undefined
}

/** Draws each kind of picture in turn, so that whatever else the machine does meets them all. */
export async function measureCrop({ rounds, page }: CropBench): Promise<readonly CropFigures[]> {
  const original = page ? await readFile(page) : await drawnPage()
  const kinds = await Promise.all(
    (["png", "webp"] as const).map(async (stored) => {
      const bytes = await (stored === "png" ? sharp(original).png() : sharp(original).webp(STORED_WEBP)).toBuffer()
      return PictureFormat.options.flatMap((format) => drawings({ bytes, widthPt: null }, stored, format))
    }),
  )
  const timed = kinds.flat().map((kind) => ({ ...kind, ms: [] as number[], cpuUs: 0, bytes: 0 }))
  for (let turn = -1; turn < rounds; turn++) {
    for (const kind of timed) {
      const began = performance.now()
      const cpuBefore = process.cpuUsage()
      const { bytes } = await kind.draw()
      const { user, system } = process.cpuUsage(cpuBefore)
      if (turn >= 0) {
        kind.ms.push(performance.now() - began)
        kind.cpuUs += user + system
      }
      kind.bytes = bytes.length
    }
  }
  return timed.map(({ picture, stored, format, ms, cpuUs, bytes }) => ({
    picture,
    stored,
    format,
    kilobytes: round(bytes / 1000, 0),
    p50: round(percentile(ms, 50), 1),
    p95: round(percentile(ms, 95), 1),
    cpu: round(cpuUs / 1000 / rounds, 1),
  }))
}

function drawings(page: StoredPage, stored: CropFigures["stored"], format: PictureFormat) {
  const kind = { stored, format }
  return [
    { ...kind, picture: "chunk" as const, draw: () => drawRegions(page, [REGION], { format }) },
    { ...kind, picture: "box" as const, draw: () => drawBox(page, REGION, { format }) },
    {
      ...kind,
      picture: "page, shaded, 1,000 wide" as const,
      draw: () => drawPage(page, [REGION], { format, width: 1_000 }),
    },
  ]
}

/** Two columns of 60 lines. */
function drawnPage(): Promise<Buffer> {
  const lines: DrawnLine[] = []
  for (let baseline = 130; baseline < 1_540; baseline += 23) {
    lines.push({ left: 112, right: 610, baseline, grey: 10 }, { left: 665, right: 1_160, baseline, grey: 10 })
  }
  return storedPage(drawLines({ width: WIDTH, height: HEIGHT, lines, fontSize: 19 }), WIDTH, HEIGHT)
}

/** The figures for a terminal. */
export function formatCropFigures(figures: readonly CropFigures[]): string {
  const table = formatTable(
    ["picture", "stored as", "drawn as", "kB", "p50 ms", "p95 ms", "CPU ms"],
    figures.map(({ picture, stored, format, kilobytes, p50, p95, cpu }) => [
      picture,
      stored,
      format,
      kilobytes,
      p50,
      p95,
      cpu,
    ]),
  )
  return `${table}\n${medianOfAll(figures)}`
}

/** As if every kind were asked for as often. */
function medianOfAll(figures: readonly CropFigures[]): string {
  const of = (values: readonly number[]) => round(percentile([...values], 50), 1)
  return `all: p50 ${of(figures.map(({ p50 }) => p50))} ms, CPU ${of(figures.map(({ cpu }) => cpu))} ms`
}
