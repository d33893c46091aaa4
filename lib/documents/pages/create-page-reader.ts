import { stat } from "node:fs/promises"
import { AppError } from "../../errors.ts"
import type { Inspection, ReadPage } from "../file-reader.ts"
import type { PageImage, PageText } from "../page.ts"
import { collectGarbage } from "./collect-garbage.ts"
import { encodePageImage } from "./encode-page-image.ts"
import { needsRecognition } from "./needs-recognition.ts"
import { type ImageFile, openImage } from "./open-image.ts"
import { openPdf, type PdfFile, type PdfPage } from "./open-pdf.ts"
import { openPdfium, type Pdfium } from "./open-pdfium.ts"
import { openRecogniser, type Recogniser } from "./open-recogniser.ts"
import type { PageWorkerData } from "./page-tasks.ts"
import { readPdfDrawings } from "./read-pdf-drawings.ts"
import { readPdfWords } from "./read-pdf-words.ts"
import { RECOGNITION_DPI, recognisePage } from "./recognise-page.ts"
import { type Raster, renderGreyPdfPage, renderPdfPage, tooLarge } from "./render-pdf-page.ts"
import { type SniffedFormat, sniffFormat } from "./sniff-format.ts"

/** Reads pages in the thread that it is called in, one at a time. */
export interface PageReader {
  inspect(path: string, name: string): Promise<Inspection>
  readPage(path: string, number: number): Promise<ReadPage>
  /** Whether the thread should end: its modules hold much memory, or one of them broke down. */
  isSpent(): boolean
}

/** Dots an inch of stored pages. */
const IMAGE_DPI = 150
/** 70,000 × 7,000. A picture is decoded whole: in one bit 61 MB. A scan of A0 in 600 dpi has 558 million. */
const IMAGE_PIXELS_MAX = 600_000_000
/** PDFium takes 19 to 30 MB for usual files, Tesseract 52; what is above came from an unusual page, and isn't given back. */
const MEMORY_BYTES_SPENT = 96 * 2 ** 20
/** Tesseract holds 70 MB. In a book that has a picture for its title page, they would be held for nothing. */
const PAGES_WITHOUT_RECOGNITION_MAX = 8
/**
 * After so many pages a file is opened anew, for PDFium keeps what it has parsed of a document until that is closed: 30 KB
 * a page. Opening takes 1 ms, and finding page 1,400 of a book of small pages 40 ms.
 */
const PAGES_A_DOCUMENT_MAX = 10

type OpenFile = { readonly key: string } & (
  | { readonly kind: "pdf"; readonly file: PdfFile }
  | { readonly kind: "image"; readonly file: ImageFile }
)

/** A reader that keeps the last file open. PDFium and Tesseract start when first needed. */
export function createPageReader(limits: Omit<PageWorkerData, "kind">): PageReader {
  let pdfium: Pdfium | null = null
  let recogniser: Recogniser | null = null
  let open: OpenFile | null = null
  let brokeDown = false
  let pagesSinceRecognition = 0
  let pagesSinceOpening = 0

  async function openFile(path: string, format: SniffedFormat): Promise<OpenFile | null> {
    const { mtimeMs, size, ino } = await stat(path)
    const key = [path, mtimeMs, size, ino].join("\n")
    if (open?.key === key && pagesSinceOpening < PAGES_A_DOCUMENT_MAX) return open
    if (pagesSinceOpening > 0) collectGarbage()
    pagesSinceOpening = 0
    if (open?.kind === "pdf") open.file.close()
    open = null
    if (format.format === "image") open = { key, kind: "image", file: await openImage(path) }
    if (format.format === "pdf") {
      pdfium ??= await openPdfium(limits.memoryBytesMax)
      open = { key, kind: "pdf", file: openPdf(pdfium, path) }
    }
    return open
  }

  const recognise: Recognise = async (render) => {
    recogniser ??= await openRecogniser(limits.memoryBytesMax)
    pagesSinceRecognition = 0
    return recogniseAndRelease(recogniser, await render())
  }

  /** What isn't an error of ours is a module that broke down: its memory can't be trusted. */
  async function guarded<T>(what: string, read: () => Promise<T>): Promise<T> {
    pdfium?.forgetRefusal()
    try {
      return await read()
    } catch (cause) {
      if (cause instanceof AppError || isFileError(cause)) throw cause
      brokeDown = true
      if (cause instanceof RangeError || pdfium?.wasRefused() === true) {
        throw new AppError("document_too_large", `${what} takes too much memory to be read`, { cause })
      }
      throw new AppError("document_unreadable", `${what} is damaged and can't be read`, { cause })
    }
  }

  return {
    inspect: (path, name) =>
      guarded("The file", async () => {
        const format = await sniffFormat(path, name)
        const opened = await openFile(path, format)
        if (opened === null) return { ...format, pageCount: null, title: null }
        const { pageCount } = opened.file
        if (pageCount > limits.pagesMax) {
          throw new AppError(
            "document_too_large",
            `The file has more than ${limits.pagesMax} pages. Upload it in parts`,
          )
        }
        return { ...format, pageCount, title: opened.kind === "pdf" ? opened.file.title : null }
      }),
    readPage: (path, number) =>
      guarded(`Page ${number}`, async () => {
        const opened = await openFile(path, await sniffFormat(path, ""))
        if (opened === null || number > opened.file.pageCount) {
          throw new AppError("document_unreadable", `The file has no page ${number}`)
        }
        pagesSinceRecognition += 1
        pagesSinceOpening += 1
        if (opened.kind === "pdf") return await readPdfPage(opened.file, number, recognise)
        return await readImagePage(opened.file, number, recognise)
      }),
    isSpent: () =>
      brokeDown ||
      (recogniser !== null && pagesSinceRecognition >= PAGES_WITHOUT_RECOGNITION_MAX) ||
      [pdfium, recogniser].some((module) => module !== null && module.memoryBytes() > MEMORY_BYTES_SPENT),
  }
}

type Recognise = (render: () => Raster<1> | Promise<Raster<1>>) => Promise<ReturnType<typeof recognisePage>>

async function readPdfPage(file: PdfFile, number: number, recognise: Recognise): Promise<ReadPage> {
  const page = file.withPage(number, readEmbedded)
  // The picture first, so that its pixels are gone before those of recognition come.
  const image = await encode(page.raster)
  const { width, height, figures, rules, layer } = page
  const base = { number, width, height, figures, rules }
  if (!page.recognise) {
    const source = layer.words.length > 0 ? "embedded" : "none"
    return { text: { ...base, source, confidence: null, words: layer.words }, image }
  }
  const found = await recognise(() => file.withPage(number, (again) => renderGreyPdfPage(again, RECOGNITION_DPI)))
  return { text: { ...base, ...chooseWords(layer, found) }, image }
}

function recogniseAndRelease(recogniser: Recogniser, raster: Raster<1>): ReturnType<typeof recognisePage> {
  try {
    return recognisePage(recogniser, raster)
  } finally {
    raster.release()
  }
}

async function encode(raster: Raster): Promise<PageImage> {
  try {
    return await encodePageImage(raster)
  } finally {
    raster.release()
  }
}

function readEmbedded(page: PdfPage) {
  const layer = readPdfWords(page)
  const drawings = readPdfDrawings(page)
  // Told before anything is decoded.
  if (drawings.imagePixelsMax > IMAGE_PIXELS_MAX) throw tooLarge(page.number)
  return {
    layer,
    figures: drawings.figures,
    rules: drawings.rules,
    width: page.width,
    height: page.height,
    recognise: needsRecognition(layer, drawings),
    raster: renderPdfPage(page, IMAGE_DPI),
  }
}

type Words = Pick<PageText, "source" | "confidence" | "words">

/** Words of a text layer are exact: where recognition finds no more letters, as on a title page with a picture, they stay. */
function chooseWords(layer: ReturnType<typeof readPdfWords>, found: ReturnType<typeof recognisePage>): Words {
  const exact = layer.words.length > 0 && layer.unknownCharacters === 0
  if (exact && lettersOf(layer.words) >= lettersOf(found.words)) {
    return { source: "embedded", confidence: null, words: layer.words }
  }
  return { source: found.words.length > 0 ? "ocr" : "none", ...found }
}

function lettersOf(words: PageText["words"]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0)
}

async function readImagePage(file: ImageFile, number: number, recognise: Recognise): Promise<ReadPage> {
  const { raster, width, height } = await file.readPage(number, IMAGE_DPI)
  const image = await encode(raster)
  const found = await recognise(async () => (await file.readGreyPage(number, RECOGNITION_DPI)).raster)
  const source = found.words.length > 0 ? "ocr" : "none"
  return { text: { number, width, height, source, figures: [], rules: [], ...found }, image }
}

/** The file has gone, or the disk fails: nothing is wrong with the document. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error
}
