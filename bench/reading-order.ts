import { execFile } from "node:child_process"
import { basename } from "node:path"
import { promisify } from "node:util"
import type { Block, ReadDocument } from "../lib/documents/block.ts"
import type { FileReader } from "../lib/documents/file-reader.ts"
import { layOutPages } from "../lib/documents/layout/lay-out-pages.ts"
import type { PageText } from "../lib/documents/page.ts"
import { createFileReader } from "../lib/documents/pages/create-file-reader.ts"
import { percentile, round } from "./metrics.ts"
import { formatTable } from "./table.ts"

/** Reading order of one file beside poppler's, and what it took. */
export interface ReadingOrderFigures {
  readonly file: string
  readonly pages: number
  /** Words of ours and of pdftotext's, hyphens joined by both. */
  readonly words: number
  readonly poppler_words: number
  /** Twice the longest common subsequence over the words of both, each page by itself: 1 is the same order. */
  readonly agreement: number
  /** Share of the neighbouring words of pdftotext that are neighbours in ours too: whole blocks may stand elsewhere. */
  readonly neighbours: number
  /** The page on which they agree least. */
  readonly worst_page: number
  readonly worst_agreement: number
  /** CPU time of the layout alone, garbage collection included, median of the rounds. */
  readonly layout_cpu_ms_per_page: number
}

const ROUNDS = 5

/** Reads each PDF with our own reader, lays its pages out and compares their order with that of `pdftotext`. */
export async function measureReadingOrder(paths: readonly string[]): Promise<ReadingOrderFigures[]> {
  const reader = createFileReader({ threads: 1 })
  try {
    const figures: ReadingOrderFigures[] = []
    for (const path of paths) figures.push(await compareOrder(path, await readPages(reader, path)))
    return figures
  } finally {
    await reader.close()
  }
}

async function readPages(reader: FileReader, path: string): Promise<PageText[]> {
  const { pageCount } = await reader.inspect(path, basename(path))
  const pages: PageText[] = []
  for (let number = 1; number <= (pageCount ?? 0); number++) pages.push((await reader.readPage(path, number)).text)
  return pages
}

async function compareOrder(path: string, pages: readonly PageText[]): Promise<ReadingOrderFigures> {
  const document = layOutPages(pages)
  const ours = wordsByPage(document)
  const theirs = await popplerWords(path)
  const compared = pages.map(({ number }, i) => comparePage(ours.get(number) ?? [], theirs[i] ?? [], number))
  const sum = (of: (page: PageAgreement) => number): number => compared.reduce((total, page) => total + of(page), 0)
  const worst = compared.toSorted((a, b) => a.share - b.share)[0]
  return {
    file: basename(path),
    pages: pages.length,
    words: sum((page) => page.ours),
    poppler_words: sum((page) => page.theirs),
    agreement: round((2 * sum((page) => page.common)) / sum((page) => page.ours + page.theirs), 3),
    neighbours: round(
      sum((page) => page.sharedPairs) /
        Math.max(
          1,
          sum((page) => Math.max(0, page.theirs - 1)),
        ),
      3,
    ),
    worst_page: worst?.number ?? 0,
    worst_agreement: round(worst?.share ?? 0, 3),
    layout_cpu_ms_per_page: round(percentile(layoutTimes(pages), 50), 2),
  }
}

/** The figures for a terminal. */
export function formatReadingOrder(figures: readonly ReadingOrderFigures[]): string {
  return formatTable(
    ["file", "pages", "words", "agreement", "neighbours", "worst page", "its agreement", "layout CPU ms/page"],
    figures.map((file) => [
      file.file,
      file.pages,
      file.words,
      file.agreement,
      file.neighbours,
      file.worst_page,
      file.worst_agreement,
      file.layout_cpu_ms_per_page,
    ]),
  )
}

/** CPU milliseconds a page: other work on the machine doesn't count. */
function layoutTimes(pages: readonly PageText[]): number[] {
  return Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage()
    layOutPages(pages)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 / pages.length
  })
}

/** Words in our order by the page on which they begin. */
function wordsByPage(document: ReadDocument): Map<number, string[]> {
  const pages = new Map<number, string[]>()
  for (const block of document.blocks) {
    for (const [page, word] of pagedWords(block)) {
      const words = pages.get(page)
      if (words) words.push(word)
      else pages.set(page, [word])
    }
  }
  return pages
}

function* pagedWords({ text, spans }: Block): Generator<[page: number, word: string]> {
  let at = 0
  for (const match of text.matchAll(/\S+/g)) {
    while (at + 1 < spans.length && (spans[at]?.end ?? 0) <= match.index) at++
    const word = comparable(match[0])
    if (word !== "") yield [spans[at]?.page ?? 0, word]
  }
}

/** Letters and digits alone: fonts and readers differ in quotes, dashes and ligatures. */
function comparable(word: string): string {
  return word
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase()
}

async function popplerWords(path: string): Promise<string[][]> {
  const { stdout } = await promisify(execFile)("pdftotext", [path, "-"], { maxBuffer: 2 ** 28 })
  return stdout.split("\f").map((page) =>
    page
      .split(/\s+/)
      .map(comparable)
      .filter((word) => word !== ""),
  )
}

interface PageAgreement {
  readonly number: number
  readonly ours: number
  readonly theirs: number
  readonly common: number
  readonly sharedPairs: number
  readonly share: number
}

function comparePage(ours: readonly string[], theirs: readonly string[], number: number): PageAgreement {
  const common = commonSubsequence(ours, theirs)
  const all = ours.length + theirs.length
  return {
    number,
    ours: ours.length,
    theirs: theirs.length,
    common,
    sharedPairs: sharedPairs(ours, theirs),
    share: all === 0 ? 1 : (2 * common) / all,
  }
}

/** Length of the longest common subsequence, by the usual table, one row at a time. */
function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  let above = new Uint32Array(b.length + 1)
  for (const word of a) {
    const row = new Uint32Array(b.length + 1)
    for (const [j, other] of b.entries()) {
      row[j + 1] = word === other ? (above[j] ?? 0) + 1 : Math.max(above[j + 1] ?? 0, row[j] ?? 0)
    }
    above = row
  }
  return above[b.length] ?? 0
}

function sharedPairs(ours: readonly string[], theirs: readonly string[]): number {
  const pairs = new Map<string, number>()
  for (const pair of pairsOf(ours)) pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  let shared = 0
  for (const pair of pairsOf(theirs)) {
    const left = pairs.get(pair) ?? 0
    if (left === 0) continue
    pairs.set(pair, left - 1)
    shared++
  }
  return shared
}

function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, i) => `${words[i]} ${word}`)
}
