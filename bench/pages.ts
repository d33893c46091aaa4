import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { createFileReader } from "../lib/documents/pages/create-file-reader.ts"
import { inParallel } from "./in-parallel.ts"
import { percentile, round } from "./metrics.ts"

/** Reading every page of a PDF, ours beside poppler's. Seconds. */
export interface PageFigures {
  readonly pages: number
  readonly threads: number
  readonly rounds: number
  readonly words: number
  /** Pages whose words were recognised, which poppler doesn't do; they are left out of both times. */
  readonly recognised_pages: number
  /** Words, boxes, picture at 150 dpi, encoded and written to a file each. */
  readonly ours_s: number
  /** `pdftoppm -r 150 -png` and `pdftotext -bbox-layout`, the pages shared out among as many processes. */
  readonly poppler_s: number
  /** Ours over poppler's: the median of the rounds' own ratios. Below 1 ours is quicker. */
  readonly ratio: number
  /** The same of processor time, all threads and processes together: other work on the machine doesn't count. */
  readonly ours_cpu_s: number
  readonly poppler_cpu_s: number
  readonly cpu_ratio: number
  /** Largest resident set above that before the first page, MB. */
  readonly memory_mb: number
  /** The same after the first 50 pages. */
  readonly memory_at_50_pages_mb: number
  readonly image_kb_a_page: number
}

interface PageBench {
  readonly path: string
  readonly threads?: number
  readonly rounds?: number
  /** Only the first pages. */
  readonly pagesMax?: number
}

/** Reads the file in both ways in every round, so that whatever else the machine does meets both. Needs poppler-utils. */
export async function measurePages(bench: PageBench): Promise<PageFigures> {
  const { path, threads = 1, rounds = 3, pagesMax = Number.POSITIVE_INFINITY } = bench
  const folder = await mkdtemp(join(tmpdir(), "concordance-bench-pages-"))
  try {
    const idle = process.memoryUsage().rss
    const { pageCount, recognised } = await findRecognised(path, threads, pagesMax)
    const numbers = Array.from({ length: pageCount }, (_, index) => index + 1).filter((page) => !recognised.has(page))
    const times: { ours: number; poppler: number; oursCpu: number; popplerCpu: number }[] = []
    let read: Ours | null = null
    for (let turn = 0; turn < rounds; turn += 1) {
      const current = await readOurs({ path, threads, folder, numbers, idle })
      read ??= current
      const poppler = await readPoppler(path, threads, folder, numbers)
      const cpu = { oursCpu: current.cpuSeconds, popplerCpu: poppler.cpuSeconds }
      times.push({ ours: current.seconds, poppler: poppler.seconds, ...cpu })
    }
    if (read === null) throw new Error("A round is needed")
    return {
      pages: pageCount,
      threads,
      rounds,
      words: read.words,
      recognised_pages: recognised.size,
      ours_s: round(median(times.map(({ ours }) => ours)), 2),
      poppler_s: round(median(times.map(({ poppler }) => poppler)), 2),
      ratio: round(median(times.map(({ ours, poppler }) => ours / poppler)), 3),
      ours_cpu_s: round(median(times.map(({ oursCpu }) => oursCpu)), 2),
      poppler_cpu_s: round(median(times.map(({ popplerCpu }) => popplerCpu)), 2),
      cpu_ratio: round(median(times.map(({ oursCpu, popplerCpu }) => oursCpu / popplerCpu)), 3),
      memory_mb: read.peakMb,
      memory_at_50_pages_mb: read.peakAt50Mb,
      image_kb_a_page: round(read.imageBytes / 1_000 / numbers.length, 0),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function median(values: readonly number[]): number {
  return percentile([...values], 50)
}

/** Also warms the file's pages in the system's cache for both. */
async function findRecognised(path: string, threads: number, pagesMax: number) {
  const reader = createFileReader({ threads })
  const inspection = await reader.inspect(path, path)
  if (inspection.pageCount === null) throw new Error("The bench takes a PDF")
  const pageCount = Math.min(inspection.pageCount, pagesMax)
  const recognised = new Set<number>()
  await inParallel(threads, pageCount, async (index) => {
    const { text } = await reader.readPage(path, index + 1)
    if (text.confidence !== null) recognised.add(index + 1)
  })
  await reader.close()
  return { pageCount, recognised }
}

interface Times {
  readonly seconds: number
  readonly cpuSeconds: number
}

interface Ours extends Times {
  readonly words: number
  readonly imageBytes: number
  readonly peakMb: number
  readonly peakAt50Mb: number
}

interface OursOptions {
  readonly path: string
  readonly threads: number
  readonly folder: string
  readonly numbers: readonly number[]
  /** Bytes. */
  readonly idle: number
}

async function readOurs({ path, threads, folder, numbers, idle }: OursOptions): Promise<Ours> {
  let [peak, peakAt50, done, words, imageBytes] = [0, 0, 0, 0, 0]
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss - idle)
  }, 20)
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  // The start of threads and of PDFium counts, as the start of poppler's processes does.
  const reader = createFileReader({ threads })
  await inParallel(threads, numbers.length, async (index) => {
    const { text, image } = await reader.readPage(path, numbers[index] ?? 1)
    words += text.words.length
    imageBytes += image.bytes.byteLength
    await writeFile(join(folder, `${text.number}.png`), image.bytes)
    done += 1
    if (done === 50) peakAt50 = peak
  })
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  const cpuSeconds = (user + system) / 1e6
  clearInterval(sampler)
  await reader.close()
  const toMb = (bytes: number) => round(bytes / 1e6, 0)
  return { seconds, cpuSeconds, words, imageBytes, peakMb: toMb(peak), peakAt50Mb: toMb(peakAt50 || peak) }
}

async function readPoppler(path: string, threads: number, folder: string, numbers: readonly number[]): Promise<Times> {
  const share = Math.ceil(numbers.length / threads)
  const startedAt = performance.now()
  let cpuSeconds = 0
  await Promise.all(
    Array.from({ length: threads }, async (_, part) => {
      const pages = numbers.slice(part * share, (part + 1) * share)
      for (const [first, last] of runsOf(pages)) {
        const range = ["-f", String(first), "-l", String(last)]
        cpuSeconds += await run("pdftoppm", ["-r", "150", "-png", ...range, path, join(folder, `poppler-${part}`)])
        cpuSeconds += await run("pdftotext", ["-bbox-layout", ...range, path, join(folder, `poppler-${part}.html`)])
      }
    }),
  )
  return { seconds: (performance.now() - startedAt) / 1_000, cpuSeconds }
}

/** Runs a program. The seconds of processor time that it took, as its shell tells them. */
async function run(program: string, args: readonly string[]): Promise<number> {
  const shell = ["-c", '"$@" && times', "sh", program, ...args]
  const { stdout } = await promisify(execFile)("sh", shell)
  const ofChildren = stdout.trim().split("\n").at(-1) ?? ""
  const times = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)]
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0)
}

/** Runs of numbers without a gap, each by its ends. */
function runsOf(numbers: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = []
  for (const number of numbers) {
    const last = runs.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else runs.push([number, number])
  }
  return runs
}

/** The figures for a terminal. */
export function formatPageFigures(figures: PageFigures): string {
  return [
    `${figures.pages} pages, ${figures.words} words, ${figures.threads} threads, median of ${figures.rounds} rounds`,
    `ours     ${figures.ours_s} s, CPU ${figures.ours_cpu_s} s, ${figures.image_kb_a_page} KB a page`,
    `poppler  ${figures.poppler_s} s, CPU ${figures.poppler_cpu_s} s`,
    `ratio    ${figures.ratio}, of CPU ${figures.cpu_ratio}`,
    `memory   ${figures.memory_mb} MB above idle, ${figures.memory_at_50_pages_mb} after 50 pages`,
    ...(figures.recognised_pages > 0 ? [`${figures.recognised_pages} pages need recognition and are left out`] : []),
  ].join("\n")
}
