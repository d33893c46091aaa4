import type { ReadDocument } from "../block.ts"
import type { FileFormat, Inspection, ReadPage } from "../file-reader.ts"
import type { PageText } from "../page.ts"

/** What a worker thread does, by name. Arguments and results are copied between threads. */
export interface PageTasks {
  inspect(path: string, name: string): Promise<Inspection>
  readPage(path: string, number: number): Promise<ReadPage>
  readFlow(path: string, format: FileFormat): Promise<ReadDocument>
  unpackBundle(path: string, folder: string): Promise<string[]>
  layOut(pages: readonly PageText[]): Promise<ReadDocument>
}

/** What a worker is asked. */
export interface TaskRequest {
  readonly id: number
  readonly task: keyof PageTasks
  readonly values: readonly unknown[]
}

/** What it answers. After `retire` it is to be ended: its memory has grown, or a module in it has broken down. */
export interface TaskReply {
  readonly id: number
  readonly retire: boolean
  readonly result: { readonly value: unknown } | { readonly error: TaskError }
}

/** An error as it crosses threads. `code` is null for what nobody foresaw. */
export interface TaskError {
  readonly code: string | null
  readonly message: string
}

/** What a worker is started with. */
export interface PageWorkerData {
  /** What it is there for, where both kinds have one entry. */
  readonly kind: "pages" | "flows"
  /** Bytes that PDFium may take, and Tesseract. */
  readonly memoryBytesMax: number
  readonly pagesMax: number
}
