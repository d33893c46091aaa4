import { readFile } from "node:fs/promises"
import { deflateSync } from "node:zlib"
import type { AssembledDocument } from "../lib/documents/assembled-document.ts"
import type { Block, ReadDocument, Span } from "../lib/documents/block.ts"
import { unpackBundle } from "../lib/documents/bundles/unpack-bundle.ts"
import type { FileReader } from "../lib/documents/file-reader.ts"
import type { AssembleChunks } from "../lib/documents/ingest/assemble-document.ts"
import type { PageText, Word } from "../lib/documents/page.ts"
import { AppError } from "../lib/errors.ts"

const WIDTH = 200
const HEIGHT = 300
const LINE = 10

/**
 * A reader of text files, without PDFs and threads: a form feed ends a page, a file without one has no pages, a line is a
 * paragraph. A file that begins with `locked` needs a password; a page that says `torn` can't be read.
 */
export function createTextFileReader(
  hooks: { readonly beforePage?: (page: number) => Promise<void> | void } = {},
): FileReader {
  const read = async (path: string) => (await readFile(path, "utf8")).split("\f")
  return {
    async inspect(path) {
      const pages = await read(path)
      if (pages[0]?.startsWith("locked")) throw new AppError("document_encrypted", "This file needs a password")
      return { format: "text", mimeType: "text/plain", pageCount: pages.length > 1 ? pages.length : null, title: null }
    },
    async readPage(path, number, signal) {
      await hooks.beforePage?.(number)
      signal?.throwIfAborted()
      const text = (await read(path))[number - 1] ?? ""
      if (text.includes("torn")) throw new AppError("document_unreadable", "The page is damaged")
      return {
        text: pageOf(number, text),
        image: { bytes: tinyPng(number), mimeType: "image/png", width: 20, height: 30 },
      }
    },
    async readFlow(path) {
      const [text = ""] = await read(path)
      return {
        title: null,
        language: null,
        blocks: text
          .split("\n")
          .filter(Boolean)
          .map((line) => block(line, [])),
        pages: [],
        warnings: [],
      }
    },
    unpackBundle: async (path, folder) => unpackBundle(await readFile(path), folder),
    layOut: async (pages) => layOut(pages),
    close: async () => {},
  }
}

/** One chunk a block, all of a document's under one parent unless `flat`. */
export const assembleBlocks: AssembleChunks = async ({ blocks, pages }, { flat }): Promise<AssembledDocument> => {
  const chunks = blocks.map((made) => ({
    kind: made.kind,
    content: made.text,
    regions: made.spans.slice(0, 1).map(({ page, x0, y0 }) => {
      const last = made.spans.at(-1)
      const { width = 1, height = 1 } = pages.find(({ number }) => number === page) ?? {}
      return { page, x0: x0 / width, y0: y0 / height, x1: (last?.x1 ?? 0) / width, y1: (last?.y1 ?? 0) / height }
    }),
    headings: [],
    parent: flat ? null : 0,
    table: made.table ? 1 : null,
  }))
  const table = blocks.find((made) => made.table)?.table
  return {
    chunks,
    parents:
      flat || chunks.length === 0
        ? []
        : [
            {
              content: blocks.map((made) => made.text).join("\n"),
              regions: chunks.flatMap(({ regions }) => regions),
              headings: [],
            },
          ],
    tables: table ? [{ number: 1, rows: table.rows, headerRows: 1, firstPage: 1, lastPage: 1 }] : [],
  }
}

function layOut(pages: readonly PageText[]): ReadDocument {
  const blocks = pages.flatMap(({ number, words }) => {
    const lines = [...new Set(words.map(({ y0 }) => y0))]
    return lines.map((y0) => {
      let text = ""
      const spans: Span[] = words
        .filter((word) => word.y0 === y0)
        .map((word) => {
          const start = text === "" ? 0 : text.length + 1
          text = text === "" ? word.text : `${text} ${word.text}`
          return { ...word, start, end: text.length, page: number, column: number }
        })
      return block(text, spans)
    })
  })
  return {
    title: null,
    language: null,
    blocks,
    pages: pages.map(({ number, width, height }) => ({ number, width, height })),
    warnings: [],
  }
}

function block(text: string, spans: readonly Span[]): Block {
  const cells = text.split(" | ")
  const table = cells.length > 1 ? { rows: [cells, cells], headerRows: 1 } : null
  return { kind: table ? "table" : "text", level: 0, text, table, spans }
}

function pageOf(number: number, text: string): PageText {
  const words = text.split("\n").flatMap((line, row) =>
    line
      .split(" ")
      .filter(Boolean)
      .map((word, column): Word => {
        const y0 = 20 + row * LINE
        return {
          text: word,
          x0: 10 + column * 15,
          y0,
          x1: 22 + column * 15,
          y1: y0 + 8,
          fontSize: 8,
          bold: false,
          hyphenated: false,
        }
      }),
  )
  return { number, width: WIDTH, height: HEIGHT, source: "embedded", confidence: null, words, figures: [], rules: [] }
}

/** A grey PNG of 20 by 30 pixels, of another shade for each page. */
function tinyPng(shade: number): Uint8Array {
  const rows = Buffer.concat(Array.from({ length: 30 }, () => Buffer.from([0, ...Array<number>(20).fill(shade % 256)])))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(20, 0)
  header.writeUInt32BE(30, 4)
  header.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngPart("IHDR", header),
    pngPart("IDAT", deflateSync(rows)),
    pngPart("IEND", Buffer.alloc(0)),
  ])
}

function pngPart(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const part = Buffer.alloc(8 + named.length)
  part.writeUInt32BE(data.length, 0)
  named.copy(part, 4)
  part.writeUInt32BE(crc32(named), part.length - 4)
  return part
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
