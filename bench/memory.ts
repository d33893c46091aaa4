import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Config } from "../lib/config.ts"
import { describeFile } from "../lib/documents/ingest/fetch-upload.ts"
import { IngestOptions } from "../lib/documents/ingest/upload.ts"
import { createFileReader } from "../lib/documents/pages/create-file-reader.ts"
import { AppError } from "../lib/errors.ts"
import type { Log } from "../lib/log.ts"
import { loadSamples } from "../lib/runtime/load-samples.ts"
import { openRuntime } from "../lib/runtime/open-runtime.ts"
import { inParallel } from "./in-parallel.ts"
import { round } from "./metrics.ts"

/** What a file takes of this process's memory: resident set, MB. Peaks are above idle, sampled every 20 ms. */
export interface MemoryFigures {
  readonly pages: number
  readonly threads: number
  readonly idle_mb: number
  readonly peak_at_50_pages_mb: number
  /** While pages were read. */
  readonly peak_of_pages_mb: number
  /** With layout, chunks, vectors and the database, where the product took the file. */
  readonly peak_mb: number
  readonly seconds: number
  /** Why the file was refused, or its last page; null where nothing was. */
  readonly refused: string | null
}

interface MemoryBench {
  readonly path: string
  readonly threads: number
}

/** Reads every page of a file and keeps nothing: what the reader takes alone. Needs a process of its own. */
export async function measureReaderMemory({ path, threads }: MemoryBench): Promise<MemoryFigures> {
  const watch = watchMemory()
  const reader = createFileReader({ threads })
  let [pages, refused]: [number, string | null] = [0, null]
  const noteRefusal = (error: unknown) => {
    if (!(error instanceof AppError)) throw error
    refused = error.message
  }
  try {
    const { pageCount } = await reader.inspect(path, path)
    await inParallel(threads, pageCount ?? 0, async (index) => {
      await reader.readPage(path, index + 1).catch(noteRefusal)
      pages += 1
      if (pages === 50) watch.note50()
    })
  } catch (error) {
    noteRefusal(error)
  }
  const figures = watch.end()
  await reader.close()
  return { pages, threads, refused, ...figures, peak_of_pages_mb: figures.peak_mb }
}

/**
 * Ingests a file into the whole product on an embedded database of its own. Idle is the product after its samples: its
 * model has run and its languages are loaded.
 */
export async function measureProductMemory(bench: MemoryBench, config: Config, log: Log): Promise<MemoryFigures> {
  const { path, threads } = bench
  const folder = await mkdtemp(join(tmpdir(), "concordance-bench-memory-"))
  let watch: MemoryWatch | null = null
  let [pages, peakOfPages] = [0, 0]
  const onProgress = (_tenant: string, _id: string, { done, total }: { done: number; total: number }) => {
    pages = done
    if (done === 50) watch?.note50()
    if (done === total && watch !== null) peakOfPages = watch.peakMb()
  }
  // A home of its own, but for the models.
  const models = resolve(config.concordanceHome, "models")
  await mkdir(models, { recursive: true })
  await symlink(models, join(folder, "models"))
  const settings = { ...config, concordanceHome: folder, databaseUrl: undefined, ingestConcurrency: threads }
  const opening = openRuntime(settings, { log, ingestListener: { onProgress } })
  const runtime = await opening.catch(async (error: unknown) => {
    await rm(folder, { recursive: true })
    throw error
  })
  try {
    await runtime.inference.warm()
    await loadSamples(runtime)
    await runtime.ingest.idle()
    // Threads end when they have had nothing to do for a while.
    await sleep(10_000)
    watch = watchMemory()
    const request = { fileName: "file.pdf", options: IngestOptions.parse({}) }
    const { id } = await runtime.ingest.add("primary", request, await describeFile(path))
    await runtime.ingest.idle()
    const figures = watch.end()
    const { error } = await runtime.documents.get("primary", id)
    return { pages, threads, refused: error?.message ?? null, ...figures, peak_of_pages_mb: peakOfPages }
  } finally {
    await runtime.close()
    await rm(folder, { recursive: true })
  }
}

/** A generated book of so many pages, as a file in `folder`. */
export async function writeBook(folder: string, pages: number): Promise<string> {
  const path = join(folder, "book.pdf")
  const script = fileURLToPath(new URL("./write-book.ts", import.meta.url))
  await promisify(execFile)(process.execPath, ["--import", import.meta.resolve("tsx"), script, path, String(pages)])
  return path
}

interface MemoryWatch {
  note50(): void
  peakMb(): number
  end(): Pick<MemoryFigures, "idle_mb" | "peak_at_50_pages_mb" | "peak_mb" | "seconds">
}

function watchMemory(): MemoryWatch {
  const idle = process.memoryUsage.rss()
  const startedAt = performance.now()
  let [peak, at50] = [idle, 0]
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const sampler = setInterval(look, 20)
  const toMb = (bytes: number) => round(bytes / 1e6, 0)
  const peakMb = () => toMb(peak - idle)
  return {
    note50: () => {
      at50 = peakMb()
    },
    peakMb,
    end: () => {
      clearInterval(sampler)
      look()
      const seconds = round((performance.now() - startedAt) / 1_000, 1)
      return { idle_mb: toMb(idle), peak_at_50_pages_mb: at50 || peakMb(), peak_mb: peakMb(), seconds }
    },
  }
}

/** The figures for a terminal. */
export function formatMemoryFigures(figures: MemoryFigures): string {
  return [
    `${figures.pages} pages, ${figures.threads} threads, ${figures.seconds} s`,
    `idle      ${figures.idle_mb} MB`,
    `50 pages  +${figures.peak_at_50_pages_mb} MB`,
    `pages     +${figures.peak_of_pages_mb} MB`,
    `all       +${figures.peak_mb} MB`,
    ...(figures.refused === null ? [] : [`refused   ${figures.refused}`]),
  ].join("\n")
}
