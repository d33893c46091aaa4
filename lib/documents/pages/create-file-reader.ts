import type { FileReader } from "../file-reader.ts"
import type { PageWorkerData } from "./page-tasks.ts"
import { createWorkerPool } from "./worker-pool.ts"

export interface FileReaderOptions {
  /** Pages and layouts that are read at the same time, each on a core of its own; and as many files without pages. */
  readonly threads: number
  /** A bundle's own entries of the threads; by default `page-worker.ts` and `flow-worker.ts` through tsx. */
  readonly entries?: { readonly pages: URL; readonly flows: URL }
  readonly pagesMax?: number
  readonly inspectTimeoutMs?: number
  /** Recognising a full page takes 3 to 15 s, one that lies on its side three times as long. */
  readonly pageTimeoutMs?: number
  readonly flowTimeoutMs?: number
  readonly layOutTimeoutMs?: number
  /** A thread without work for so long ends and gives its memory back: 60 to 130 MB, where another starts in 1 s. */
  readonly idleMs?: number
  /** Bytes that PDFium may take in a thread, and Tesseract. */
  readonly memoryBytesMax?: number
}

const MEMORY_BYTES_MAX = 256 * 2 ** 20
const PAGES_MAX = 5_000
/** A table of 100,000 rows in JavaScript's own memory. */
const HEAP_MIB = 512

const ENTRIES = {
  pages: new URL("./start-page-worker.mjs", import.meta.url),
  flows: new URL("./start-flow-worker.mjs", import.meta.url),
}

/** Reads files in worker threads, which start with the first call and end when idle, or by `close`. */
export function createFileReader(options: FileReaderOptions): FileReader {
  const { pages: pagesEntry, flows: flowsEntry } = options.entries ?? ENTRIES
  const open = (kind: PageWorkerData["kind"], entry: URL) =>
    createWorkerPool({
      entry,
      workerData: {
        kind,
        memoryBytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX,
        pagesMax: options.pagesMax ?? PAGES_MAX,
      } satisfies PageWorkerData,
      threads: options.threads,
      idleMs: options.idleMs ?? 5_000,
      heapMiB: HEAP_MIB,
    })
  const pagePool = open("pages", pagesEntry)
  const flowPool = open("flows", flowsEntry)
  const { inspectTimeoutMs = 60_000, pageTimeoutMs = 180_000 } = options
  const { flowTimeoutMs = 120_000, layOutTimeoutMs = 120_000 } = options
  return {
    inspect: (path, name) =>
      pagePool.run("inspect", [path, name], { path, subject: "The file", timeoutMs: inspectTimeoutMs }),
    readPage: (path, number, signal) =>
      pagePool.run("readPage", [path, number], { path, subject: `Page ${number}`, timeoutMs: pageTimeoutMs, signal }),
    readFlow: (path, format, signal) =>
      flowPool.run("readFlow", [path, format], { path, subject: "The file", timeoutMs: flowTimeoutMs, signal }),
    unpackBundle: (path, folder, signal) =>
      flowPool.run("unpackBundle", [path, folder], { path, subject: "The file", timeoutMs: flowTimeoutMs, signal }),
    layOut: (pages, signal) =>
      pagePool.run("layOut", [pages], { path: null, subject: "The layout", timeoutMs: layOutTimeoutMs, signal }),
    close: async () => {
      await Promise.all([pagePool.close(), flowPool.close()])
    },
  }
}
