import { AppError } from "../../errors.ts"
import type { ReadDocument } from "../block.ts"
import type { FileFormat } from "../file-reader.ts"
import { unreadable } from "./document-errors.ts"

/** Formats that are read as one text. */
export type FlowFormat = Exclude<FileFormat, "pdf" | "image" | "bundle">
type Reader = (bytes: Uint8Array) => ReadDocument | Promise<ReadDocument>

/** Loaded when the first file of a format comes: mammoth alone takes 16 MB. */
const READERS: Readonly<Record<FlowFormat, () => Promise<Reader>>> = {
  csv: async () => (await import("./read-csv.ts")).readCsv,
  docx: async () => (await import("./read-docx.ts")).readDocx,
  epub: async () => (await import("./read-epub.ts")).readEpub,
  html: async () => (await import("./read-html.ts")).readHtml,
  markdown: async () => (await import("./read-markdown.ts")).readMarkdown,
  pptx: async () => (await import("./read-pptx.ts")).readPptx,
  text: async () => (await import("./read-text.ts")).readText,
  xlsx: async () => (await import("./read-xlsx.ts")).readXlsx,
}

/**
 * Reads a file without pages into blocks. Bounded in memory (`FLOW_LIMITS`, `ARCHIVE_LIMITS`) and linear in time. Throws
 * `document_unreadable` (damaged, or without text), `document_encrypted`, `document_too_large`, and
 * `document_unsupported` for a format that is read otherwise. No other error leaves it: those of libraries may quote the file.
 */
export async function readFlow(format: FileFormat, bytes: Uint8Array): Promise<ReadDocument> {
  if (format === "pdf" || format === "image" || format === "bundle") {
    throw new AppError("document_unsupported", "The file is not read as one text.")
  }
  const read = await READERS[format]()
  try {
    return await read(bytes)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw unreadable("The file is damaged or isn't of the kind that it seems to be.")
  }
}
