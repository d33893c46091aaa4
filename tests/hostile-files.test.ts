import { lstat, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { crc32, deflateSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createFileReader } from "../lib/documents/pages/create-file-reader.ts"
import { AppError } from "../lib/errors.ts"
import { docxParagraph, docxParts, epubParts, pptxParts, pptxShape, xlsxParts } from "./document-files.ts"
import { circularPdf, deepPdf, onePagePdf } from "./hostile-pdfs.ts"
import { type RawEntry, rawZip } from "./hostile-zips.ts"

// Files that somebody made to do harm, in the product's reader with its threads and limits: each is read or refused with a reason,
// soon and within bounds, and the next file is read as if nothing had been.

const reader = createFileReader({ threads: 1, idleMs: 60_000 })
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "concordance-hostile-"))
})
afterAll(async () => {
  expect((await outcome("The ferry leaves at nine.", "well.txt")).text).toContain("ferry")
  // Nothing that an archive named was written beside the files that were read.
  expect((await readdir(folder)).filter((name) => !/^(?:file|bundle)-\d+$/.test(name))).toEqual([])
  await reader.close()
  await rm(folder, { recursive: true })
})

/** A busy machine takes several times as long; what hangs takes for ever. */
const SOON_MS = 50_000
/** Of the process with its threads, over what it had before: the file itself, and what a thread may have. */
const GROWTH_BYTES_MAX = 700 * 2 ** 20
/** Of a file that says that it has millions. */
const PAGES_READ = 2

let files = 0

/** What a file is to its reader: `ready` and its text, or the code that it is refused with. */
async function outcome(
  bytes: Uint8Array | string,
  name: string,
): Promise<{ readonly ended: string; readonly text: string }> {
  files += 1
  const path = join(folder, `file-${files}`)
  await writeFile(path, bytes)
  const before = process.memoryUsage.rss()
  const began = performance.now()
  try {
    return { ended: "ready", text: await read(path, name) }
  } catch (error) {
    // A reason of the file's, never one of ours that nobody foresaw.
    if (!(error instanceof AppError)) throw error
    expect(error.code).toMatch(/^document_/)
    return { ended: error.code, text: "" }
  } finally {
    expect(performance.now() - began).toBeLessThan(SOON_MS)
    expect(process.memoryUsage.rss() - before).toBeLessThan(GROWTH_BYTES_MAX)
  }
}

async function read(path: string, name: string): Promise<string> {
  const { format, pageCount } = await reader.inspect(path, name)
  if (format === "bundle") {
    await reader.unpackBundle(path, path.replace("file-", "bundle-"))
    return ""
  }
  if (pageCount === null) return (await reader.readFlow(path, format)).blocks.map(({ text }) => text).join("\n")
  const texts: string[] = []
  for (let number = 1; number <= Math.min(pageCount, PAGES_READ); number++) {
    const { text } = await reader.readPage(path, number)
    texts.push((await reader.layOut([text])).blocks.map((block) => block.text).join("\n"))
  }
  return texts.join("\n")
}

const WORDS = "The ferry leaves at nine."
/** Each format that is a ZIP: its parts, and the one that holds the text. */
const ZIPS = {
  docx: { parts: docxParts(docxParagraph(WORDS)), main: "word/document.xml" },
  xlsx: {
    parts: xlsxParts({
      A: `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>${WORDS}</t></is></c></row></sheetData>`,
    }),
    main: "xl/worksheets/sheet1.xml",
  },
  pptx: { parts: pptxParts([pptxShape(WORDS)]), main: "ppt/slides/slide1.xml" },
  epub: { parts: epubParts({ "a.xhtml": `<p>${WORDS}</p>` }), main: "OEBPS/a.xhtml" },
} as const
type ZipFormat = keyof typeof ZIPS
const FORMATS = Object.keys(ZIPS) as ZipFormat[]

/** The format's sample with one part changed, and entries put behind. */
function sample(format: ZipFormat, main?: Partial<RawEntry>, more: readonly RawEntry[] = [], end = {}): Uint8Array {
  const { parts, main: mainName } = ZIPS[format]
  const entries = Object.entries(parts as Record<string, string>).map(([name, data]) => ({
    ...{ name, data },
    ...(name === mainName && main),
  }))
  return rawZip([...entries, ...more], end)
}

describe.each(FORMATS)("a %s", (format) => {
  const { parts, main } = ZIPS[format]
  const text = (parts as Record<string, string>)[main] ?? ""

  test("as it should be is read", async () => {
    const { ended, text: read } = await outcome(sample(format), `x.${format}`)
    expect(ended).toBe("ready")
    expect(read).toContain(WORDS)
  })
  test.each([undefined, 10])("whose text unpacks to 65 MiB, and says %s bytes, is refused", async (statedBytes) => {
    const data = Buffer.alloc(65 << 20, 32)
    const lie = statedBytes === undefined ? {} : { statedBytes }
    expect((await outcome(sample(format, { data, ...lie }), `x.${format}`)).ended).toBe("document_too_large")
  })
  test("with names that lead out, links, and other archives in it is read, and nothing of them", async () => {
    const inner = rawZip([{ name: main, data: text.replace("ferry", "canary") }])
    const more: RawEntry[] = [
      ...["../../escaped.xml", "/etc/escaped.xml", "C:\\escaped.xml", "a/../../b.xml"].map((name) => ({
        name,
        data: "canary",
      })),
      { name: "link", data: "/etc/passwd", mode: 0o120777 },
      { name: "word/embeddings/inner.zip", data: inner },
    ]
    const { ended, text: read } = await outcome(sample(format, {}, more), `x.${format}`)
    expect(ended).toBe("ready")
    expect(read).not.toContain("canary")
  })
  test("whose text is a link to a file of the machine is not that file", async () => {
    const { ended, text: read } = await outcome(sample(format, { data: "/etc/passwd", mode: 0o120777 }), `x.${format}`)
    if (ended === "ready") expect(read).not.toContain("root:")
  })
  test("with 10,001 parts is refused", async () => {
    const more = Array.from({ length: 10_001 }, (_, index) => ({ name: `x/${index}` }))
    expect((await outcome(sample(format, {}, more), `x.${format}`)).ended).toBe("document_too_large")
  })
  test("of which 9,000 parts are the same bytes costs no more than one", async () => {
    const more = Array.from({ length: 9_000 }, (_, index) => ({ name: `x/${index}`, isAlias: true }))
    expect((await outcome(sample(format, {}, more), `x.${format}`)).ended).toBe("ready")
  })
  test.each([
    ["in ZIP64", { entries: 0xffff, directoryAt: 0xffffffff, directoryBytes: 0xffffffff }],
    ["whose directory lies behind its end", { directoryAt: 0x7fffffff }],
    ["that states 9,999 parts more than it has", { entries: 9_999 }],
  ])("%s is refused", async (_, end) => {
    expect((await outcome(sample(format, {}, [], end), `x.${format}`)).ended).toMatch(/^document_/)
  })
  test.each(["a billion laughs", "one entity of 1 MB ten thousand times", "a file of the machine"])(
    "with %s in its XML expands none of it",
    async (kind) => {
      const laughs = Array.from(
        { length: 9 },
        (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
      ).join("")
      const bombs: Record<string, readonly [string, string]> = {
        "a billion laughs": [`<!ENTITY l0 "canary">${laughs}`, "&l9;"],
        "one entity of 1 MB ten thousand times": [`<!ENTITY l0 "${"canary".repeat(170_000)}">`, "&l0;".repeat(10_000)],
        "a file of the machine": ['<!ENTITY l0 SYSTEM "file:///etc/passwd">', "&l0;"],
      }
      const [entities = "", use = ""] = bombs[kind] ?? []
      const body = text.replace(/^<\?xml.*?\?>/, "").replace(WORDS, `${WORDS} ${use}`)
      const { ended, text: read } = await outcome(
        sample(format, { data: `<!DOCTYPE x [${entities}]>${body}` }),
        `x.${format}`,
      )
      expect(ended).toMatch(/^(?:ready|document_unreadable|document_too_large)$/)
      if (ended !== "ready") return
      expect(read.length).toBeLessThan(200_000)
      expect(read).not.toMatch(/canarycanary|root:/)
    },
  )
})

test("sheets that are all one part are unpacked within the bound of the whole", async () => {
  const sheets = Array.from({ length: 500 }, (_, index) => index)
  const parts = { ...xlsxParts({ A: "<sheetData/>" }) }
  parts["xl/workbook.xml"] = (parts["xl/workbook.xml"] ?? "").replace(
    /<sheet name.*?\/>/,
    sheets.map((n) => `<sheet name="s${n}" sheetId="${n + 1}" r:id="s0"/>`).join(""),
  )
  // 3 MB each, 1.5 GB together.
  parts["xl/worksheets/sheet1.xml"] = `${parts["xl/worksheets/sheet1.xml"]}${"<!-- -->".repeat(400_000)}`
  const entries = Object.entries(parts).map(([name, data]) => ({ name, data }))
  expect((await outcome(rawZip(entries), "x.xlsx")).ended).toMatch(/^(?:ready|document_too_large)$/)
})

test("an archive in an archive in an archive is no document; a bundle unpacks within its bounds, and links nowhere", async () => {
  let nested = rawZip([{ name: "a.txt", data: "x" }])
  for (let level = 0; level < 50; level++) nested = rawZip([{ name: `${level}.zip`, data: nested }])
  expect((await outcome(nested, "x.zip")).ended).toMatch(/^document_/)
  const bomb = rawZip([
    { name: "_index.json", data: "{}" },
    { name: "chunks/c0001.md", data: Buffer.alloc(65 << 20, 32) },
  ])
  expect((await outcome(bomb, "bundle.zip")).ended).toBe("document_too_large")
  const linked = rawZip([{ name: "_index.json", data: "/etc/passwd", mode: 0o120777 }])
  // Written as a file with the link's words in it, which is no index.
  expect((await outcome(linked, "bundle.zip")).ended).toBe("ready")
  const written = await lstat(join(folder, `bundle-${files}`, "_index.json"))
  expect(written.isFile() && written.size).toBe("/etc/passwd".length)
})

/** A PNG that says how large it is, and has a few bytes. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const head = Buffer.alloc(4)
    head.writeUInt32BE(data.length)
    const tail = Buffer.alloc(4)
    tail.writeUInt32BE(crc32(body))
    return Buffer.concat([head, body, tail])
  }
  const size = Buffer.alloc(13)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  size.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk("IHDR", size),
    chunk("IDAT", deflateSync(Buffer.alloc(1_000))),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

/** A TIFF of one strip that says how large it is. */
function tiff(width: number, height: number): Buffer {
  const tags = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, 100],
  ]
  const bytes = Buffer.alloc(8 + 2 + tags.length * 12 + 4 + 100)
  bytes.write("II*\0", 0, "latin1")
  bytes.writeUInt32LE(8, 4)
  bytes.writeUInt16LE(tags.length, 8)
  for (const [index, [tag = 0, type = 0, value = 0]] of tags.entries()) {
    const at = 10 + index * 12
    bytes.writeUInt16LE(tag, at)
    bytes.writeUInt16LE(type, at + 2)
    bytes.writeUInt32LE(1, at + 4)
    bytes.writeUInt32LE(value, at + 8)
  }
  return bytes
}

test.each([
  ["PNG of 100,000 × 100,000", png(100_000, 100_000)],
  ["PNG of 2³¹−1 × 1", png(2 ** 31 - 1, 1)],
  ["PNG of 0 × 0", png(0, 0)],
  ["TIFF of 100,000 × 100,000", tiff(100_000, 100_000)],
] as const)("a picture that says it is a %s is refused before it is decoded", async (_, bytes) => {
  expect((await outcome(bytes, "x.png")).ended).toMatch(/^document_(?:too_large|unreadable)$/)
})

const JAVASCRIPT =
  "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\); while\\(true\\){})>>/AA<</WC<</S/JavaScript/JS(while\\(true\\){})>>>>"
test.each([
  ["a million pages that aren't there", onePagePdf({ count: 1_000_000 }), /^(?:ready|document_too_large)$/],
  ["2³¹−1 pages", onePagePdf({ count: 2 ** 31 - 1 }), /^(?:ready|document_too_large|document_unreadable)$/],
  ["its page under 5,000 nodes", deepPdf(5_000), /^(?:ready|document_unreadable)$/],
  ["nodes that hold one another", circularPdf(), /^document_/],
  [
    "a page of 10⁹ points",
    onePagePdf({ box: "0 0 1000000000 1000000000" }),
    /^(?:ready|document_unreadable|document_too_large)$/,
  ],
  [
    "a page of 100,000 points",
    onePagePdf({ box: "0 0 100000 100000" }),
    /^(?:ready|document_unreadable|document_too_large)$/,
  ],
  ["JavaScript that never ends", onePagePdf({ catalog: JAVASCRIPT }), /^ready$/],
  [
    "a content of 400 MB",
    onePagePdf({ content: Buffer.alloc(400 << 20, 32) }),
    /^(?:ready|document_unreadable|document_too_large)$/,
  ],
  [
    "a million nested graphics states",
    onePagePdf({ content: "q ".repeat(1_000_000) }),
    /^(?:ready|document_unreadable|document_too_large)$/,
  ],
] as const)(
  "a PDF with %s ends soon",
  async (_, bytes, expected) => {
    expect((await outcome(bytes, "x.pdf")).ended).toMatch(expected)
  },
  200_000,
)
