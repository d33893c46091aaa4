import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import sharp from "sharp"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeFile, withFolder } from "../lib/documents/ingest/fetch-upload.ts"
import { IngestOptions } from "../lib/documents/ingest/upload.ts"
import type { Box } from "../lib/documents/page.ts"
import type { ChunkDetails } from "../lib/documents/page-details.ts"
import { createPageReader } from "../lib/documents/pages/create-page-reader.ts"
import { openRecogniser, type Recogniser } from "../lib/documents/pages/open-recogniser.ts"
import type { Region } from "../lib/shapes.ts"
import { croppedPdf, type GeneratedPdf, rotatedPdf, scannedPdf, tablePdf, twoColumnPdf } from "./generated-pdfs.ts"
import { type Served, serve } from "./served.ts"

// Where the words of a page stand is known, for they were written there; a passage is followed from the file to its crop
// through the whole product. A region is the box around a chunk's words in one column of a page, so its truth is the box
// around the places of those very words. A region of known words must overlap its truth by 90 %, as must the union of
// all regions of a chunk. The words of a page that is a picture are recognised, not all as they were drawn, so a chunk's
// words are found among those drawn by what both have in common, in order.

const TENANT = "primary"
/** PDFium's boxes are those of the font, those of the truth its letters' highest and lowest: points. */
const TOLERANCE_PT = 1
/** Recognition's boxes are those of the ink: a word without descenders ends 2.5 points higher. */
const SCAN_TOLERANCE_PT = 3

let product: Served
let recogniser: Recogniser
beforeAll(async () => {
  // Short chunks begin and end inside of pages and columns; without overlap they are the document's words in order.
  product = await serve({ environment: { CHUNK_SIZE: "240", CHUNK_OVERLAP: "0" } })
  recogniser = await openRecogniser(2 ** 28)
})
afterAll(() => product.close())

interface TruthFile {
  readonly name: string
  make(): Promise<GeneratedPdf>
  /** Points. */
  readonly tolerance?: number
  /** Share of its words that may be read otherwise than they were drawn. */
  readonly misreadMax?: number
}

const files: readonly TruthFile[] = [
  { name: "a page turned by 90°", make: () => rotatedPdf(90) },
  { name: "a page turned by 180°", make: () => rotatedPdf(180) },
  { name: "a page turned by 270°", make: () => rotatedPdf(270) },
  { name: "a cropped page", make: croppedPdf },
  { name: "two columns", make: twoColumnPdf },
  { name: "a ruled table", make: () => tablePdf(true) },
  { name: "a scan between pages of text", make: mixedScanPdf, tolerance: SCAN_TOLERANCE_PT, misreadMax: 0.05 },
]

test.each(files)(
  "the regions of $name are where its words are, and its crops show them",
  { timeout: 240_000 },
  async ({ name, make, tolerance = TOLERANCE_PT, misreadMax = 0 }) => {
    const pdf = await make()
    const chunks = await ingest(name, pdf)
    const words = chunks.map(({ content }) => wordsOf(content))
    const places = inOrder(
      words.flat(),
      pdf.words.map(({ text }) => text),
    )
    const known = places.filter((place) => place >= 0)
    expect(known.length).toBeGreaterThanOrEqual((1 - misreadMax) * Math.max(pdf.words.length, places.length))
    for (const [index, chunk] of chunks.entries()) {
      const own = places.splice(0, words[index]?.length).filter((place) => place >= 0)
      // With those between them that were read otherwise.
      const truth = pdf.words.slice(own[0], (own.at(-1) ?? -1) + 1)
      expectRegions(chunk.regions ?? [], truth, pdf, tolerance)
      await expectCrops(chunk, words[index] ?? [])
    }
  },
)

/** A page of text, the picture of another, and one more of text. */
async function mixedScanPdf(): Promise<GeneratedPdf> {
  const scanned = await rotatedPdf(0)
  const mixed = await scannedPdf([null, await pictureOf(scanned), null])
  const words = [...mixed.words, ...scanned.words.map((word) => ({ ...word, page: 2 }))]
  return { ...mixed, words: words.toSorted((a, b) => a.page - b.page) }
}

/** The first page, as it is stored. */
async function pictureOf({ bytes }: GeneratedPdf): Promise<Uint8Array> {
  const { runtime } = product
  return withFolder(runtime.tempFolder, async (folder) => {
    const path = join(folder, "file.pdf")
    await writeFile(path, bytes)
    const reader = createPageReader({ memoryBytesMax: 2 ** 28, pagesMax: 1 })
    return (await reader.readPage(path, 1)).image.bytes
  })
}

function wordsOf(content: string): string[] {
  return content.split(/[\s|]+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
}

/** Where each word stands in `truth`, by the longest common subsequence; -1 for those that aren't of it. */
function inOrder(words: readonly string[], truth: readonly string[]): number[] {
  const rest = Array.from({ length: words.length + 1 }, () => new Uint32Array(truth.length + 1))
  const common = (i: number, j: number) => rest[i]?.[j] ?? 0
  for (let i = words.length - 1; i >= 0; i--) {
    for (let j = truth.length - 1; j >= 0; j--) {
      const row = rest[i] ?? new Uint32Array()
      row[j] = words[i] === truth[j] ? common(i + 1, j + 1) + 1 : Math.max(common(i + 1, j), common(i, j + 1))
    }
  }
  let j = 0
  return words.map((word, i) => {
    while (j < truth.length && word !== truth[j] && common(i, j + 1) >= common(i + 1, j)) j++
    return j < truth.length && word === truth[j] ? j++ : -1
  })
}

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
