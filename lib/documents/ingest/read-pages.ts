import { measure, stage } from "../../activity.ts"
import type { CountUsage } from "../../count-usage.ts"
import { AppError } from "../../errors.ts"
import { pageImageKey } from "../../objects/object-key.ts"
import type { ObjectStore } from "../../objects/object-store.ts"
import type { FileReader, ReadPage } from "../file-reader.ts"
import type { Drafts } from "./drafts.ts"
import type { HeldJob, IngestProgress } from "./upload.ts"

/** Runs work, at most so much of it at a time; what comes later waits in order. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>

/** A limiter for `most` at a time. */
export function createLimiter(most: number): Limiter {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      // The place goes to the next in line, so that nobody slips in between.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

interface ReadPagesParts {
  readonly fileReader: Pick<FileReader, "readPage">
  readonly objects: ObjectStore
  readonly drafts: Drafts
  /** Shared by all jobs of the process: pages, not documents, are what takes CPU and memory. */
  readonly limit: Limiter
  readonly count?: CountUsage | undefined
  /** Pages of one job that are read at once. */
  readonly sideBySide: number
}

interface ReadPagesOptions {
  readonly path: string
  /** First page to read; the file's when absent. */
  readonly from?: number
  /** Last page to read. */
  readonly to?: number
  readonly total: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: IngestProgress) => void
  /** The job is no longer ours. */
  readonly onLost: () => void
}

/** Pages that may fail before a file is given up, where none was read and where some were: each may take its whole time limit. */
const FAILURES_ALONE_MAX = 20
export const FAILURES_MAX = 200

/**
 * Reads the pages that have no draft yet, side by side, and commits each with its picture. A page that can't be read
 * becomes an empty one with a warning; with too many of them the file is given up, for the reason of the last.
 */
export function readPages(parts: ReadPagesParts, job: HeldJob, options: ReadPagesOptions): Promise<void> {
  return stage("pages", () => readMissing(parts, job, options))
}

async function readMissing(parts: ReadPagesParts, job: HeldJob, options: ReadPagesOptions): Promise<void> {
  const { total, from = 1, to = total, signal, onProgress, onLost } = options
  const there = await parts.drafts.pageNumbers(job)
  const missing = Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((number) => !there.has(number))
  let done = there.size
  let read = there.size
  let failures = 0
  let isStopped = false
  onProgress({ done, total })
  const readOne = async (number: number): Promise<void> => {
    const outcome = await readOrReason(parts, number, options)
    const failed = outcome instanceof AppError
    if (failed) failures++
    else read++
    measure(failed ? "concordance.ingest.pages.failed" : "concordance.ingest.pages", 1)
    if (failed && failures >= (read > 0 ? FAILURES_MAX : FAILURES_ALONE_MAX)) throw outcome
    const draft = failed
      ? { number, text: null, imageKey: null, warning: outcome.message }
      : { number, text: outcome.text, imageKey: await storeImage(parts.objects, job, outcome), warning: null }
    if (!(await parts.drafts.savePage(job, draft))) return onLost()
    if (!failed) await parts.count?.(job.tenant, { pages: 1 })
    done++
    onProgress({ done, total })
  }
  // As many lines of work as pages may be read at once, so that a book doesn't keep a letter waiting for all of its pages.
  const numbers = missing.values()
  const works = Array.from({ length: Math.min(parts.sideBySide, missing.length) }, async () => {
    for (const number of numbers) {
      if (isStopped || signal.aborted) return
      await parts
        .limit(() => readOne(number))
        .catch((error: unknown) => {
          isStopped = true
          throw error
        })
    }
  })
  // One that fails stops the others before their next page, and all have ended when this does: none writes later on.
  await Promise.allSettled(works)
  signal.throwIfAborted()
  await Promise.all(works)
}

/** The page, or why it alone can't be read. */
async function readOrReason(
  { fileReader }: ReadPagesParts,
  number: number,
  { path, signal }: ReadPagesOptions,
): Promise<ReadPage | AppError> {
  try {
    return await fileReader.readPage(path, number, signal)
  } catch (error) {
    const ofThePage = error instanceof AppError && ["document_unreadable", "document_too_large"].includes(error.code)
    if (!ofThePage) throw error
    return error
  }
}

async function storeImage(objects: ObjectStore, job: HeldJob, { text, image }: ReadPage): Promise<string> {
  const key = pageImageKey({
    tenantId: job.tenant,
    documentId: job.documentId,
    generation: Number(job.generation),
    page: text.number,
    mimeType: image.mimeType,
  })
  await objects.put(key, image.bytes, image.mimeType)
  return key
}
