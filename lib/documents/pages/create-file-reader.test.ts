import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { croppedPdf, manyPagesPdf, rotatedPdf, scannedPdf } from "../../../tests/generated-pdfs.ts"
import type { FileReader } from "../file-reader.ts"
import { createFileReader, type FileReaderOptions } from "./create-file-reader.ts"

let folder: string
let book: string
let words: readonly { readonly text: string; readonly page: number }[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "concordance-reader-"))
  const pdf = await manyPagesPdf(12)
  words = pdf.words
  book = await save("book", pdf.bytes)
})
afterAll(() => rm(folder, { recursive: true }))

let reader: FileReader
afterEach(() => reader.close())

function open(options: Partial<FileReaderOptions> = {}): FileReader {
  reader = createFileReader({ threads: 1, ...options })
  return reader
}

async function save(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  return path
}

/** Worker threads of this process. */
function runningThreads(): number {
  return (process.report.getReport() as unknown as { readonly workers: readonly unknown[] }).workers.length
}

/** A page that takes seconds: it has to be recognised. */
async function scan(): Promise<string> {
  const original = await save("original", (await rotatedPdf(0)).bytes)
  const { image } = await reader.readPage(original, 1)
  return await save("scan", (await scannedPdf([image.bytes])).bytes)
}

test("pages asked for all at once come each with its own words, from two threads", async () => {
  open({ threads: 2 })
  const pages = await Promise.all(Array.from({ length: 12 }, (_, index) => reader.readPage(book, index + 1)))
  for (const [index, { text, image }] of pages.entries()) {
    const expected = words.filter(({ page }) => page === index + 1).map((word) => word.text)
    expect(text.words.map((word) => word.text)).toEqual(expected)
    expect(Buffer.from(image.bytes.subarray(1, 4)).toString()).toBe("PNG")
  }
})

test("errors of a document arrive with code and reason, and the next file is read", async () => {
  open()
  const broken = await save("broken", Buffer.from("%PDF-1.7\nnothing"))
  await expect(reader.inspect(broken, "a.pdf")).rejects.toMatchObject({ name: "AppError", code: "document_unreadable" })
  expect(await reader.inspect(book, "a.pdf")).toMatchObject({ format: "pdf", pageCount: 12 })
})

test("a file that was replaced under its path is read anew", async () => {
  open()
  const path = await save("replaced", (await manyPagesPdf(2)).bytes)
  expect((await reader.inspect(path, "a")).pageCount).toBe(2)
  await save("replaced", (await manyPagesPdf(3)).bytes)
  expect((await reader.inspect(path, "a")).pageCount).toBe(3)
})

test("a file that is gone is no fault of the document", async () => {
  open()
  await expect(reader.inspect(join(folder, "nothing"), "a")).rejects.not.toMatchObject({ name: "AppError" })
})

test("over its time a page is refused, its thread is ended, and another reads the next", async () => {
  open()
  const slow = await scan()
  await reader.close()
  open({ pageTimeoutMs: 200 })
  // A thread alone takes longer to start.
  await expect(reader.readPage(slow, 1)).rejects.toMatchObject({ code: "document_unreadable" })
  expect(await reader.inspect(book, "a.pdf")).toMatchObject({ pageCount: 12 })
})

test("an aborted call rejects with the reason at once, whether it runs or waits, and the rest goes on", async () => {
  open()
  const slow = await scan()
  const running = new AbortController()
  const waiting = new AbortController()
  const calls = [
    reader.readPage(slow, 1, running.signal),
    reader.readPage(book, 1, waiting.signal),
    reader.readPage(book, 2),
  ]
  waiting.abort(new Error("not needed"))
  await expect(calls[1]).rejects.toThrow("not needed")
  running.abort(new Error("gone"))
  await expect(calls[0]).rejects.toThrow("gone")
  expect((await calls[2])?.text.number).toBe(2)
  await expect(reader.readPage(book, 1, AbortSignal.abort(new Error("too late")))).rejects.toThrow("too late")
})

test("threads end when idle and start again", async () => {
  const before = runningThreads()
  open({ idleMs: 500 })
  for (const page of [1, 2]) {
    const reading = reader.readPage(book, page)
    await expect.poll(runningThreads, { interval: 10, timeout: 10_000 }).toBe(before + 1)
    expect((await reading).text.number).toBe(page)
    await expect.poll(runningThreads, { timeout: 10_000 }).toBe(before)
  }
})

test("closing rejects what still waits", async () => {
  open()
  const cropped = await save("cropped", (await croppedPdf()).bytes)
  const calls = [reader.readPage(book, 1), reader.readPage(cropped, 1)]
  const outcomes = Promise.allSettled(calls)
  await reader.close()
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"])
  await expect(reader.inspect(book, "a")).rejects.toThrow("closed")
})

test("files without pages are read, and pages laid out, in threads of their own", async () => {
  open()
  const path = await save("note", Buffer.from("# Harbour\n\nThe *lantern* is lit.\n"))
  const { format } = await reader.inspect(path, "note.md")
  expect((await reader.readFlow(path, format)).blocks.map(({ text }) => text)).toEqual([
    "Harbour",
    "The lantern is lit.",
  ])
  const { text } = await reader.readPage(book, 1)
  expect((await reader.layOut([text])).blocks[0]?.text).toContain(words[0]?.text)
})
