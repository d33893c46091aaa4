import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { AppError } from "../../errors.ts"
import type { Pdfium } from "./open-pdfium.ts"

/** A PDF that is open. */
export interface PdfFile {
  readonly pdfium: Pdfium
  readonly pageCount: number
  /** As the file gives it; null where it gives none. */
  readonly title: string | null
  /** Runs `use` on page `number`, from 1. Throws `document_unreadable` for a page that can't be opened or has no sane size. */
  withPage<T>(number: number, use: (page: PdfPage) => T): T
  close(): void
}

/** A page that is open. Sizes in points, as displayed. */
export interface PdfPage {
  readonly pdfium: Pdfium
  readonly number: number
  /** Addresses of PDFium's page and of its form environment. */
  readonly page: number
  readonly form: number
  readonly width: number
  readonly height: number
  /** `SCRATCH_BYTES` of PDFium's memory for what its functions answer into; every call may overwrite it. */
  readonly scratch: number
}

/** A matrix takes 24 bytes, the name of a font 128. */
const SCRATCH_BYTES = 256

/** PDFium's own numbers for why a file does not open. */
const ERROR_PASSWORD = 4
const ERROR_SECURITY = 5

/** Acrobat's limit is 14,400 points; larger ones exist as posters. */
const SIDE_POINTS_MAX = 100_000

/**
 * Opens a PDF. Its bytes stay in the file and are read where PDFium asks for them, so that memory doesn't grow with the
 * file. Throws `document_encrypted` where it takes a password, `document_unreadable` where it is no PDF or has no pages.
 */
export function openPdf(pdfium: Pdfium, path: string): PdfFile {
  const { api } = pdfium
  const source = openSource(pdfium, path)
  const document = api.FPDF_LoadCustomDocument(source.address, "")
  if (document === 0) {
    const reason = api.FPDF_GetLastError()
    source.close()
    throw reason === ERROR_PASSWORD || reason === ERROR_SECURITY
      ? new AppError("document_encrypted", "The PDF needs a password. Upload a copy without one")
      : new AppError("document_unreadable", "The PDF is damaged and can't be opened. Save it anew, then upload that")
  }
  const formInfo = api.PDFiumExt_OpenFormFillInfo()
  const form = api.PDFiumExt_InitFormFillEnvironment(document, formInfo)
  const scratch = pdfium.allocate(SCRATCH_BYTES)
  const close = () => {
    pdfium.release(scratch)
    api.PDFiumExt_ExitFormFillEnvironment(form)
    api.PDFiumExt_CloseFormFillInfo(formInfo)
    api.FPDF_CloseDocument(document)
    source.close()
  }
  const pageCount = api.FPDF_GetPageCount(document)
  if (pageCount < 1) {
    close()
    throw new AppError("document_unreadable", "The PDF has no pages")
  }
  return {
    pdfium,
    pageCount,
    title: readTitle(pdfium, document),
    withPage: (number, use) => withPage({ pdfium, document, form, scratch }, number, use),
    close,
  }
}

/** FPDF_FILEACCESS: length, function, its first parameter. */
function openSource(pdfium: Pdfium, path: string): { readonly address: number; close(): void } {
  const file = openSync(path, "r")
  const readBlock = pdfium.addFunction((_source = 0, position = 0, target = 0, length = 0) => {
    try {
      // Unsigned: beyond 2 GB the int that arrives is negative.
      return readSync(file, pdfium.bytes(), target >>> 0, length >>> 0, position >>> 0) === length >>> 0 ? 1 : 0
    } catch {
      return 0
    }
  }, "iiiii")
  const address = pdfium.allocate(12)
  pdfium.ints().set([fstatSync(file).size, readBlock, 0], address >> 2)
  return {
    address,
    close() {
      pdfium.release(address)
      pdfium.removeFunction(readBlock)
      closeSync(file)
    },
  }
}

interface OpenDocument {
  readonly pdfium: Pdfium
  readonly document: number
  readonly form: number
  readonly scratch: number
}

function withPage<T>({ pdfium, document, form, scratch }: OpenDocument, number: number, use: (page: PdfPage) => T): T {
  const { api } = pdfium
  let page = api.FPDF_LoadPage(document, number - 1)
  if (page === 0) throw unreadablePage(number)
  try {
    api.FORM_OnAfterLoadPage(page, form)
    if (hasWrittenAnnotations(pdfium, page) && api.FPDFPage_Flatten(page, FLATTEN_FOR_DISPLAY) === FLATTENED) {
      // What was flattened is a part of the page when it is loaded anew.
      api.FORM_OnBeforeClosePage(page, form)
      api.FPDF_ClosePage(page)
      page = api.FPDF_LoadPage(document, number - 1)
      if (page === 0) throw unreadablePage(number)
      api.FORM_OnAfterLoadPage(page, form)
    }
    const width = api.FPDF_GetPageWidthF(page)
    const height = api.FPDF_GetPageHeightF(page)
    if (!(isSide(width) && isSide(height))) throw unreadablePage(number)
    return use({ pdfium, number, page, form, width, height, scratch })
  } finally {
    if (page !== 0) {
      api.FORM_OnBeforeClosePage(page, form)
      api.FPDF_ClosePage(page)
    }
  }
}

const FLATTEN_FOR_DISPLAY = 0
const FLATTENED = 1
/** Free text, stamps and form fields. */
const WRITTEN_ANNOTATIONS = new Set([3, 13, 20])
const ANNOTATIONS_MAX = 10_000

/** Whether somebody wrote onto the page: such words are in its text only once they are flattened into it. */
function hasWrittenAnnotations(pdfium: Pdfium, page: number): boolean {
  const { api } = pdfium
  const count = Math.min(api.FPDFPage_GetAnnotCount(page), ANNOTATIONS_MAX)
  for (let index = 0; index < count; index += 1) {
    const annotation = api.FPDFPage_GetAnnot(page, index)
    if (annotation === 0) continue
    const subtype = api.FPDFAnnot_GetSubtype(annotation)
    api.FPDFPage_CloseAnnot(annotation)
    if (WRITTEN_ANNOTATIONS.has(subtype)) return true
  }
  return false
}

function isSide(points: number): boolean {
  return points >= 1 && points <= SIDE_POINTS_MAX
}

function unreadablePage(number: number): AppError {
  return new AppError("document_unreadable", `Page ${number} of the PDF is damaged and can't be opened`)
}

const TITLE_BYTES_MAX = 2_048

function readTitle(pdfium: Pdfium, document: number): string | null {
  const buffer = pdfium.allocate(TITLE_BYTES_MAX)
  try {
    const length = pdfium.api.FPDF_GetMetaText(document, "Title", buffer, TITLE_BYTES_MAX)
    // UTF-16 with a closing zero. A longer one isn't written at all.
    if (length <= 2 || length > TITLE_BYTES_MAX) return null
    const title = new TextDecoder("utf-16le").decode(pdfium.bytes().slice(buffer, buffer + length - 2))
    return title.replaceAll(/[\p{Cc}\s]+/gu, " ").trim() || null
  } finally {
    pdfium.release(buffer)
  }
}
