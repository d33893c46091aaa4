import { type FileHandle, open } from "node:fs/promises"
import { AppError } from "../../errors.ts"
import { PACKED_INDEX } from "../bundles/unpack-bundle.ts"
import type { FileFormat } from "../file-reader.ts"
import { listZipEntries } from "./list-zip-entries.ts"
import { looksLikeText } from "./looks-like-text.ts"
import { readOleStreams } from "./read-ole-streams.ts"

/** What a file is. */
export interface SniffedFormat {
  readonly format: FileFormat
  readonly mimeType: string
}

const SUPPORTED =
  "PDF, PNG, JPEG, WebP, TIFF, DOCX, XLSX, PPTX, EPUB, HTML, Markdown, CSV, plain text and packed bundles can be read"
/** A PDF's header may come after so many bytes of something else. */
const PDF_HEADER_WITHIN = 1_024
/** Enough to tell text from other bytes, and HTML behind a long comment. */
const HEAD_BYTES = 65_536

/**
 * Tells what a file is by its content. The name decides only among text formats that look alike. Throws
 * `document_unsupported`, `document_encrypted` for an Office file with a password, `document_unreadable` for an empty or
 * a broken one.
 */
export async function sniffFormat(path: string, name: string): Promise<SniffedFormat> {
  const file = await open(path, "r")
  try {
    return await sniff(file, name)
  } finally {
    await file.close()
  }
}

async function sniff(file: FileHandle, name: string): Promise<SniffedFormat> {
  const { size } = await file.stat()
  if (size === 0) throw new AppError("document_unreadable", "The file is empty")
  const head = Buffer.alloc(Math.min(size, HEAD_BYTES))
  await file.read(head, 0, head.length, 0)
  const header = head.subarray(0, PDF_HEADER_WITHIN).indexOf("%PDF-")
  if (header === 0) return PDF
  const picture = sniffPicture(head)
  if (picture !== null) return picture
  if (startsWith(head, ZIP_LOCAL) || startsWith(head, ZIP_EMPTY)) return await sniffZip(file, size)
  if (startsWith(head, OLE)) throw refuseOle(await readOleStreams(file, size))
  if (header > 0) return PDF
  return sniffText(head, name)
}

const PDF: SniffedFormat = { format: "pdf", mimeType: "application/pdf" }
const ZIP_LOCAL = [0x50, 0x4b, 0x03, 0x04]
const ZIP_EMPTY = [0x50, 0x4b, 0x05, 0x06]
const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]

const PICTURES: readonly (readonly [mimeType: string, magic: readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/tiff", [0x49, 0x49, 0x2a, 0x00]],
  ["image/tiff", [0x4d, 0x4d, 0x00, 0x2a]],
  // BigTIFF.
  ["image/tiff", [0x49, 0x49, 0x2b, 0x00]],
  ["image/tiff", [0x4d, 0x4d, 0x00, 0x2b]],
]

function sniffPicture(head: Buffer): SniffedFormat | null {
  const found = PICTURES.find(([, magic]) => startsWith(head, magic))
  if (found !== undefined) return { format: "image", mimeType: found[0] }
  const isWebp = head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP"
  return isWebp ? { format: "image", mimeType: "image/webp" } : null
}

function startsWith(head: Buffer, magic: readonly number[]): boolean {
  return magic.every((byte, index) => head[index] === byte)
}

const OFFICE = "application/vnd.openxmlformats-officedocument"
/** The entry that each container has and the others haven't. */
const CONTAINERS: readonly (readonly [entry: RegExp, format: SniffedFormat])[] = [
  [/^word\/document\d*\.xml$/u, { format: "docx", mimeType: `${OFFICE}.wordprocessingml.document` }],
  [/^xl\/workbook\d*\.xml$/u, { format: "xlsx", mimeType: `${OFFICE}.spreadsheetml.sheet` }],
  [/^ppt\/presentation\d*\.xml$/u, { format: "pptx", mimeType: `${OFFICE}.presentationml.presentation` }],
  [/^META-INF\/container\.xml$/u, { format: "epub", mimeType: "application/epub+zip" }],
]

async function sniffZip(file: FileHandle, size: number): Promise<SniffedFormat> {
  // Some programs on Windows write backslashes, some a slash in front.
  const names = (await listZipEntries(file, size)).map((name) => name.replaceAll("\\", "/").replace(/^\//u, ""))
  const found = CONTAINERS.find(([entry]) => names.some((name) => entry.test(name)))
  if (found !== undefined) return found[1]
  if (names.some((name) => PACKED_INDEX.test(name))) return { format: "bundle", mimeType: "application/zip" }
  throw new AppError(
    "document_unsupported",
    `ZIP archives of this kind can't be read. ${SUPPORTED}; upload files one by one`,
  )
}

function refuseOle(streams: ReadonlySet<string>): AppError {
  if (streams.has("EncryptedPackage")) {
    return new AppError("document_encrypted", "The Office file needs a password. Upload a copy without one")
  }
  const saveAs = (kind: string, format: string) =>
    new AppError("document_unsupported", `${kind} of before 2007 can't be read. Save the file as ${format}`)
  if (streams.has("WordDocument")) return saveAs("Word files", "DOCX")
  if (streams.has("Workbook") || streams.has("Book")) return saveAs("Excel files", "XLSX")
  if (streams.has("PowerPoint Document")) return saveAs("PowerPoint files", "PPTX")
  return new AppError("document_unsupported", `Files of this kind can't be read. ${SUPPORTED}`)
}

/** Text that only programs read; as text it would be noise. */
const REFUSED_TEXT: readonly (readonly [start: RegExp, kind: string])[] = [
  [/^\{\\rtf/u, "RTF files can't be read. Save the file as DOCX or PDF"],
  [/^%!PS/u, "PostScript files can't be read. Save the file as PDF"],
  [
    /^(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s>]/su,
    "SVG pictures can't be read. Save it as PDF or PNG",
  ],
]

const HTML =
  /^(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype\s+html|<(?:html|head|body|title|meta|article|section|main|div|table|h1|p)[\s>/])/isu

function sniffText(head: Buffer, name: string): SniffedFormat {
  const text = looksLikeText(head)
  if (text === null) throw new AppError("document_unsupported", `Files of this kind can't be read. ${SUPPORTED}`)
  const start = text.trimStart()
  if (start === "" && head.length < HEAD_BYTES) throw new AppError("document_unreadable", "The file has no text")
  const refused = REFUSED_TEXT.find(([pattern]) => pattern.test(start))
  if (refused !== undefined) throw new AppError("document_unsupported", refused[1])
  const extension = /\.([a-z0-9]+)$/iu.exec(name)?.[1]?.toLowerCase() ?? ""
  if (MARKDOWN.has(extension)) return { format: "markdown", mimeType: "text/markdown" }
  if (HTML.test(start)) return { format: "html", mimeType: "text/html" }
  if (extension === "csv" || extension === "tsv") return { format: "csv", mimeType: "text/csv" }
  return { format: "text", mimeType: "text/plain" }
}

/** Markdown may begin with HTML. */
const MARKDOWN = new Set(["md", "markdown", "mdx", "mkd"])
