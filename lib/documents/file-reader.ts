import type { ReadDocument } from "./block.ts"
import type { PageImage, PageText } from "./page.ts"

/** What a file is, told by its content alone. */
export type FileFormat =
  | ("pdf" | "image" | "docx" | "html" | "markdown" | "text" | "csv" | "xlsx" | "epub" | "pptx")
  /** A packed bundle (docs/bundles.md), which is a document already. */
  | "bundle"

/** What a file turns out to be before its pages are read. */
export interface Inspection {
  readonly format: FileFormat
  readonly mimeType: string
  /** Null for formats without pages, which `readFlow` reads whole. */
  readonly pageCount: number | null
  /** As the file itself gives it. */
  readonly title: string | null
}

/** One page, read. */
export interface ReadPage {
  readonly text: PageText
  readonly image: PageImage
}

/**
 * Reads files in worker threads, so that the server keeps answering. Files are hostile: each call is bounded in time,
 * pixels and memory, and a worker that is over them is ended and replaced. Throws `document_encrypted`,
 * `document_unreadable` (with a reason for the uploader), `document_unsupported`, `document_too_large`.
 */
export interface FileReader {
  /** `name` decides only between text formats that content cannot tell apart (Markdown, CSV, plain text). */
  inspect(path: string, name: string): Promise<Inspection>
  /** Page `number` from 1; its words, by OCR where it has no usable text layer, and its picture at 150 dpi. */
  readPage(path: string, number: number, signal?: AbortSignal): Promise<ReadPage>
  /** All of a file without pages. */
  readFlow(path: string, format: FileFormat, signal?: AbortSignal): Promise<ReadDocument>
  /** Writes the files of a packed bundle to `folder`. Returns what was passed over. */
  unpackBundle(path: string, folder: string, signal?: AbortSignal): Promise<string[]>
  /** Reading order, running heads, paragraphs, headings, tables of pages read before: a document in blocks. */
  layOut(pages: readonly PageText[], signal?: AbortSignal): Promise<ReadDocument>
  /** Ends the workers. */
  close(): Promise<void>
}
