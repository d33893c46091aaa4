import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import sharp from "sharp"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { ChunkDetails } from "../lib/documents/document-pages.ts"
import { describeFile, withFolder } from "../lib/documents/ingest/fetch-upload.ts"
import { IngestOptions } from "../lib/documents/ingest/upload.ts"
import type { Box } from "../lib/documents/page.ts"
import { openRecogniser, type Recogniser } from "../lib/documents/pages/open-recogniser.ts"
import type { Region } from "../lib/shapes.ts"
import { croppedPdf, type GeneratedPdf, rotatedPdf, tablePdf, twoColumnPdf } from "./generated-pdfs.ts"
import { type Served, serve } from "./served.ts"

// Where the words of a page stand is known, for they were written there; a passage is followed from the file to its crop
// through the whole product. A region is the box around a chunk's words in one column of a page, so its truth is the box
// around the places of those very words. A region of known words must overlap its truth by 90 %, as must the union of
// all regions of a chunk.

const TENANT = "primary"
/** PDFium's boxes are those of the font, those of the truth its letters' highest and lowest: points. */
const TOLERANCE_PT = 1

let product: Served
let recogniser: Recogniser
beforeAll(async () => {
  // Short chunks begin and end inside of pages and columns; without overlap they are the document's words in order.
  product = await serve({ environment: { CHUNK_SIZE: "240", CHUNK_OVERLAP: "0" } })
  recogniser = await openRecogniser(2 ** 28)
})
afterAll(() => product.close())

const files: readonly [name: string, make: () => Promise<GeneratedPdf>, tolerance?: number][] = [
  ["a page turned by 90°", () => rotatedPdf(90)],
  ["a page turned by 180°", () => rotatedPdf(180)],
  ["a page turned by 270°", () => rotatedPdf(270)],
  ["a cropped page", croppedPdf],
  ["two columns", twoColumnPdf],
  ["a ruled table", () => tablePdf(true)],
]

test.each(files)(
  "the regions of %s are where its words are, and its crops show them",
  {
    timeout: 240_000,
  },
  async (name, make, tolerance = TOLERANCE_PT) => {
    const pdf = await make()
    const chunks = await ingest(name, pdf)
    expect(chunks.length).toBeGreaterThan(name === "a ruled table" ? 0 : 1)
    let next = 0
    for (const chunk of chunks) {
      const words = chunk.content.split(/[\s|]+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
      const truth = pdf.words.slice(next, next + words.length)
      next += words.length
      expectSameWords(
        words,
        truth.map(({ text }) => text),
      )
      expectRegions(chunk.regions ?? [], truth, pdf, tolerance)
      // Tesseract takes a crop that is all table for a picture, and reads nothing of it.
      if (chunk.kind !== "table") await expectCrops(chunk, words)
    }
    expect(next).toBe(pdf.words.length)
  },
)

/** Chunks in reading order. */
async function ingest(name: string, { bytes }: GeneratedPdf): Promise<ChunkDetails[]> {
  const { runtime } = product
  const { id } = await withFolder(runtime.tempFolder, async (folder) => {
    const path = join(folder, "file.pdf")
    await writeFile(path, bytes)
    return runtime.ingest.add(TENANT, { fileName: name, options: IngestOptions.parse({}) }, await describeFile(path))
  })
  await runtime.ingest.idle()
  const { status, page_count = 0 } = await runtime.documents.get(TENANT, id)
  expect(status).toBe("ready")
  const chunks = new Map<string, ChunkDetails>()
  for (let page = 1; page <= page_count; page++) {
    for (const chunk of (await runtime.documentPages.get(TENANT, id, page)).chunks) chunks.set(chunk.id, chunk)
  }
  return [...chunks.values()]
}

function expectSameWords(found: readonly string[], truth: readonly string[]): void {
  const different = found.filter((word, index) => word !== truth[index])
  expect(different.length, `${found.join(" ")}\n${truth.join(" ")}`).toBeLessThanOrEqual(found.length / 20)
}

type Truth = GeneratedPdf["words"]

function expectRegions(regions: readonly Region[], truth: Truth, page: GeneratedPdf, tolerance: number): void {
  const boxes = regions.map(({ page: number, ...box }) => ({ page: number, ...inPoints(box, page) }))
  const held = boxes.map((box) => truth.filter((word) => word.page === box.page && isInside(middleOf(word), box)))
  expect(held.flat()).toHaveLength(truth.length)
  for (const [index, box] of boxes.entries()) {
    const words = held[index] ?? []
    for (const word of words) expect(isInside(word, box, tolerance), word.text).toBe(true)
    expect(overlap([box], [around(words)])).toBeGreaterThanOrEqual(0.9)
  }
  // Regions of different pages don't touch: they are laid side by side.
  const apart = (box: Box & { page: number }) => ({ ...box, x0: box.x0 + box.page * 1e4, x1: box.x1 + box.page * 1e4 })
  const known = held.map((words, index) => apart({ ...around(words), page: boxes[index]?.page ?? 0 }))
  expect(overlap(boxes.map(apart), known)).toBeGreaterThanOrEqual(0.9)
}

async function expectCrops(chunk: ChunkDetails, words: readonly string[]): Promise<void> {
  const pages = new Set((chunk.regions ?? []).map(({ page }) => page))
  const read: string[] = []
  for (const page of pages) {
    const request = { chunkId: chunk.id, highlight: false, format: "png" } as const
    const picture = await product.runtime.pagePictures.part(TENANT, chunk.document_id, page, request)
    read.push(...(await recognise((await picture.read()).bytes)))
  }
  const missed = words.filter((word) => {
    const at = read.indexOf(word)
    if (at >= 0) read.splice(at, 1)
    return at < 0
  })
  expect(missed.length, `missed ${missed.join(" ")}; left over ${read.join(" ")}`).toBeLessThanOrEqual(
    words.length / 10,
  )
}

/** Words of a picture of 150 dpi, enlarged to what recognition likes. */
async function recognise(picture: Uint8Array): Promise<string[]> {
  const { width } = await sharp(picture).metadata()
  const grey = sharp(picture)
    .resize({ width: width * 2 })
    .greyscale()
    .raw()
  const { data, info } = await grey.toBuffer({ resolveWithObject: true })
  const { lines } = recogniser.recognise(data, info.width, info.height, 300)
  return lines.flatMap((line) => line.words.map(({ text }) => text.normalize("NFC")))
}

function inPoints({ x0, y0, x1, y1 }: Box, { width, height }: GeneratedPdf): Box {
  return { x0: x0 * width, y0: y0 * height, x1: x1 * width, y1: y1 * height }
}

function middleOf({ x0, y0, x1, y1 }: Box): Box {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2]
  return { x0: x, y0: y, x1: x, y1: y }
}

function isInside(inner: Box, outer: Box, tolerance = 0): boolean {
  const { x0, y0, x1, y1 } = outer
  const beyond = Math.max(x0 - inner.x0, y0 - inner.y0, inner.x1 - x1, inner.y1 - y1)
  return beyond <= tolerance
}

function around(boxes: readonly Box[]): Box {
  return {
    x0: Math.min(...boxes.map(({ x0 }) => x0)),
    y0: Math.min(...boxes.map(({ y0 }) => y0)),
    x1: Math.max(...boxes.map(({ x1 }) => x1)),
    y1: Math.max(...boxes.map(({ y1 }) => y1)),
  }
}

/** Intersection over union of two sets of boxes, those of a set apart from each other. */
function overlap(found: readonly Box[], truth: readonly Box[]): number {
  const area = (boxes: readonly Box[]) => boxes.reduce((sum, { x0, y0, x1, y1 }) => sum + (x1 - x0) * (y1 - y0), 0)
  const both = found.flatMap((a) =>
    truth.map((b) => {
      const [width, height] = [Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0), Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0)]
      return Math.max(0, width) * Math.max(0, height)
    }),
  )
  const shared = both.reduce((sum, value) => sum + value, 0)
  return shared / (area(found) + area(truth) - shared)
}
