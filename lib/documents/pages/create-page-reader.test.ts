import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import sharp from "sharp"
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  croppedPdf,
  encryptedPdf,
  figurePdf,
  filledFormPdf,
  type GeneratedPdf,
  hugePicturePdf,
  manyPagesPdf,
  type PlacedWord,
  rotatedPdf,
  scannedPdf,
  tablePdf,
  twoColumnPdf,
  upwardPdf,
} from "../../../tests/generated-pdfs.ts"
import type { Box, PageText } from "../page.ts"
import { createPageReader } from "./create-page-reader.ts"

const LIMITS = { memoryBytesMax: 256 * 2 ** 20, pagesMax: 100 }
const reader = createPageReader(LIMITS)

let folder: string
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "concordance-pages-"))
})
afterAll(() => rm(folder, { recursive: true }))

async function save(bytes: Uint8Array): Promise<string> {
  files += 1
  const path = join(folder, `file-${files}`)
  await writeFile(path, bytes)
  return path
}

/** The picture of a generated page, as a scanner would make it. */
async function pictureOf(pdf: GeneratedPdf): Promise<Buffer> {
  const { image } = await reader.readPage(await save(pdf.bytes), 1)
  return Buffer.from(image.bytes)
}

function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)
  const height = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0)
  const both = Math.max(0, width) * Math.max(0, height)
  const area = (box: Box) => (box.x1 - box.x0) * (box.y1 - box.y0)
  return both / (area(a) + area(b) - both)
}

/** Words are the same, in the same order, each where it was written. */
function expectWords(found: PageText, expected: readonly PlacedWord[], leastOverlap: number): void {
  expect(found.words.map(({ text }) => text)).toEqual(expected.map(({ text }) => text))
  const worst = Math.min(
    ...found.words.map((word, index) => overlap(word, expected[index] ?? { ...word, x1: word.x0 })),
  )
  expect(worst).toBeGreaterThan(leastOverlap)
}

test.each([0, 90, 180, 270] as const)("words of a page turned by %i° are where they are displayed", async (turn) => {
  const pdf = await rotatedPdf(turn)
  const { text, image } = await reader.readPage(await save(pdf.bytes), 1)
  expect(text).toMatchObject({ number: 1, width: pdf.width, height: pdf.height, source: "embedded", confidence: null })
  expectWords(text, pdf.words, 0.9)
  expect([image.width, image.height]).toEqual([pdf.width, pdf.height].map((points) => Math.round((points * 150) / 72)))
  expect(text.words.every(({ fontSize, bold }) => Math.abs(fontSize - 12) < 0.01 && !bold)).toBe(true)
})

test("words that run upwards are where they are displayed", async () => {
  const pdf = await upwardPdf()
  expectWords((await reader.readPage(await save(pdf.bytes), 1)).text, pdf.words, 0.9)
})

test("of a cropped page only what is displayed is read, from the corner that is displayed", async () => {
  const pdf = await croppedPdf()
  const { text } = await reader.readPage(await save(pdf.bytes), 1)
  expect(text).toMatchObject({ width: pdf.width, height: pdf.height })
  expectWords(text, pdf.words, 0.9)
})

test("words of two columns stand in their columns", async () => {
  const pdf = await twoColumnPdf()
  expectWords((await reader.readPage(await save(pdf.bytes), 1)).text, pdf.words, 0.9)
})

test("a ruled table has its lines, one without rules has none, and no cell runs into the next", async () => {
  const [ruled, plain] = [await tablePdf(true), await tablePdf(false)]
  const { text } = await reader.readPage(await save(ruled.bytes), 1)
  expectWords(text, ruled.words, 0.9)
  const level = text.rules.filter(({ x0, x1 }) => Math.abs(x0 - 40) < 1 && Math.abs(x1 - 370) < 1)
  const upright = text.rules.filter(({ y0, y1 }) => Math.abs(y0 - 90) < 1 && Math.abs(y1 - 170) < 1)
  expect([level.length, upright.length, text.rules.length]).toEqual([5, 4, 9])
  expect((await reader.readPage(await save(plain.bytes), 1)).text.rules).toEqual([])
})

test("a picture on a page of text is a figure where it is drawn, and the words stay those of the text layer", async () => {
  const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: "teal" } })
    .png()
    .toBuffer()
  const pdf = await figurePdf(picture)
  const { text } = await reader.readPage(await save(pdf.bytes), 1)
  expectWords(text, pdf.words, 0.9)
  expect(text.figures).toHaveLength(1)
  expect(
    overlap(text.figures[0] ?? { x0: 0, y0: 0, x1: 1, y1: 1 }, { x0: 60, y0: 250, x1: 260, y1: 400 }),
  ).toBeGreaterThan(0.98)
})

test("what was filled into a form is read and drawn", async () => {
  const { text, image } = await reader.readPage(await save(await filledFormPdf("Leonor Bettencourt")), 1)
  expect(text.words.map((word) => word.text).join(" ")).toBe("Name of the applicant Leonor Bettencourt")
  const field = { left: 88, top: 195, width: 400, height: 30 }
  const { channels } = await sharp(image.bytes).extract(field).stats()
  expect(channels[0]?.min).toBeLessThan(60)
})

test("a scan between pages of text is recognised, in its place, the pages of text are not", {
  timeout: 240_000,
}, async () => {
  const original = await rotatedPdf(0)
  const path = await save((await scannedPdf([null, await pictureOf(original), null])).bytes)
  expect((await reader.readPage(path, 1)).text.source).toBe("embedded")
  const { text } = await reader.readPage(path, 2)
  expect(text.source).toBe("ocr")
  expect(text.confidence).toBeGreaterThan(85)
  expect(text.figures).toEqual([])
  expectNearlyAll(text, original.words)
  expect((await reader.readPage(path, 3)).text.source).toBe("embedded")
})

test("the scan of a ruled table is recognised, cell by cell", { timeout: 240_000 }, async () => {
  const original = await tablePdf(true)
  const { text } = await reader.readPage(await save((await scannedPdf([await pictureOf(original)])).bytes), 1)
  expect(text.source).toBe("ocr")
  expectNearlyAll(text, original.words)
})

test("a page that was scanned on its side is read, in the place where it is displayed", {
  timeout: 240_000,
}, async () => {
  const original = await rotatedPdf(0)
  const turned = await sharp(await pictureOf(original))
    .rotate(90)
    .png()
    .toBuffer()
  // Pages of 100 dpi and more tell their resolution; here the long side counts as A4's.
  const { text } = await reader.readPage(await save(turned), 1)
  expect(text.source).toBe("ocr")
  const scale = text.width / original.height
  const displayed = original.words.map(({ text: word, page, x0, y0, x1, y1 }) => ({
    text: word,
    page,
    x0: (original.height - y1) * scale,
    x1: (original.height - y0) * scale,
    y0: x0 * scale,
    y1: x1 * scale,
  }))
  expectNearlyAll(text, displayed)
})

/** Nine words of ten are found, each about where it is: recognition boxes ink, truth has ascent and descent. */
function expectNearlyAll(found: PageText, expected: readonly PlacedWord[]): void {
  const hits = expected.filter((word) =>
    found.words.some((other) => other.text === word.text && overlap(other, word) > 0.35),
  )
  expect(hits.length / expected.length).toBeGreaterThan(0.9)
}

test("the pictures of a TIFF are pages, at the resolution that it gives", { timeout: 240_000 }, async () => {
  const picture = await pictureOf(await rotatedPdf(0))
  const { width = 0, height = 0 } = await sharp(picture).metadata()
  const pages = [
    picture,
    await sharp({ create: { width, height, channels: 3, background: "white" } })
      .png()
      .toBuffer(),
  ]
  const tiff = await sharp(pages, { join: { across: 1, animated: true } })
    .tiff({ compression: "deflate", xres: 150 / 25.4, yres: 150 / 25.4 })
    .toBuffer()
  const path = await save(tiff)
  expect(await reader.inspect(path, "scan")).toMatchObject({ format: "image", mimeType: "image/tiff", pageCount: 2 })
  const { text } = await reader.readPage(path, 1)
  expect([Math.round(text.width), Math.round(text.height)]).toEqual([420, 595])
  expect(text.source).toBe("ocr")
  expect((await reader.readPage(path, 2)).text).toMatchObject({ source: "none", words: [], confidence: null })
})

test("a photograph lies as its EXIF says, and is stored as WebP", { timeout: 240_000 }, async () => {
  const noise = { type: "gaussian", mean: 128, sigma: 40 } as const
  const jpeg = await sharp({ create: { width: 600, height: 300, channels: 3, background: "grey", noise } })
    .withMetadata({ orientation: 6, density: 150 })
    .jpeg()
    .toBuffer()
  const { text, image } = await reader.readPage(await save(jpeg), 1)
  expect([text.width, text.height]).toEqual([144, 288])
  expect(image).toMatchObject({ mimeType: "image/webp", width: 300, height: 600 })
})

test("a book tells its pages and its title, one with too many pages is refused", async () => {
  const book = await save((await manyPagesPdf(3)).bytes)
  expect(await reader.inspect(book, "x.bin")).toEqual({
    format: "pdf",
    mimeType: "application/pdf",
    pageCount: 3,
    title: "A generated book",
  })
  await expect(reader.readPage(book, 4)).rejects.toMatchObject({ code: "document_unreadable" })
  const longer = await save((await manyPagesPdf(101)).bytes)
  await expect(reader.inspect(longer, "x.pdf")).rejects.toMatchObject({ code: "document_too_large" })
})

test("a picture of 35,000 × 35,000 pixels is refused before it is decoded", async () => {
  const path = await save(await hugePicturePdf(35_000))
  await expect(reader.readPage(path, 1)).rejects.toMatchObject({ code: "document_too_large" })
  expect(reader.isSpent()).toBe(false)
})

test("what needs more memory than a thread may have is refused, and the thread is spent", async () => {
  const narrow = createPageReader({ ...LIMITS, memoryBytesMax: 24 * 2 ** 20 })
  const path = await save(await hugePicturePdf(16_000))
  await expect(narrow.readPage(path, 1)).rejects.toMatchObject({ code: "document_too_large" })
})

test("a PDF with a password and one that is damaged are told apart", async () => {
  const locked = await save(await encryptedPdf())
  await expect(reader.inspect(locked, "a.pdf")).rejects.toMatchObject({ code: "document_encrypted" })
  const broken = await save(Buffer.from("%PDF-1.7\nnothing follows"))
  await expect(reader.inspect(broken, "a.pdf")).rejects.toMatchObject({ code: "document_unreadable" })
  const cut = (await manyPagesPdf(2)).bytes.slice(0, 300)
  await expect(reader.inspect(await save(cut), "a.pdf")).rejects.toMatchObject({ code: "document_unreadable" })
  // The reader goes on.
  expectWords((await reader.readPage(await save((await croppedPdf()).bytes), 1)).text, (await croppedPdf()).words, 0.9)
})

test("a damaged picture is refused with a reason", async () => {
  const png = await sharp({ create: { width: 300, height: 300, channels: 3, background: "teal" } })
    .png()
    .toBuffer()
  const path = await save(png.subarray(0, png.length / 2))
  await expect(reader.readPage(path, 1)).rejects.toMatchObject({ code: "document_unreadable" })
})
