import { describe, expect, test } from "vitest"
import {
  docxParagraph,
  docxParts,
  epubParts,
  pptxParts,
  pptxShape,
  xlsxParts,
  zipOf,
} from "../../../tests/document-files.ts"
import { AppError } from "../../errors.ts"
import { randomFrom } from "../../random.ts"
import type { FileFormat } from "../file-reader.ts"
import { FLOW_LIMITS } from "./block-writer.ts"
import { ARCHIVE_LIMITS } from "./open-archive.ts"
import { type FlowFormat, readFlow } from "./read-flow.ts"

const CODES = ["document_encrypted", "document_unreadable", "document_too_large", "document_unsupported"]
const bytesOf = (text: string) => new TextEncoder().encode(text)
const cells =
  '<sheetData><row><c t="s"><v>0</v></c><c s="1"><v>45000</v></c></row><row><c t="s"><v>1</v></c><c><f>1</f><v>2</v></c></row></sheetData>'

/** A small file of each format. */
const SAMPLES: Readonly<Record<FlowFormat, Uint8Array>> = {
  csv: bytesOf('name;n\n"a;b";1\nc;2\n'),
  docx: zipOf({
    ...docxParts(docxParagraph("T", '<w:pStyle w:val="Ttulo1"/>') + docxParagraph("some text")),
    "word/comments.xml": "<x/>",
  }),
  epub: zipOf(epubParts({ "a.xhtml": "<h1>T</h1><p>text</p><table><tr><th>a</th><th>b</th></tr></table>" })),
  html: bytesOf(
    "<html lang=en><title>T</title><h1>T</h1><ul><li>a<li>b</ul><table><tr><th colspan=2>a<tr><td>1<td>2</table>",
  ),
  markdown: bytesOf(
    "---\ntitle: T\n---\n# T\n\n- a\n  - b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[x][y]\n\n[y]: http://z",
  ),
  pptx: zipOf(pptxParts([pptxShape("T", "title") + pptxShape("a\n\tb")], ["note"])),
  text: bytesOf("CHAPTER I\n\nOne line of text that is long enough\nand another.\n\nT\n=\n"),
  xlsx: zipOf(xlsxParts({ S: cells }, ["<si><t>k</t></si>", "<si><t>v</t></si>"])),
}
const FORMATS = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[]

/** What reading came to: the document, or the code of the error that it may fail with. */
async function outcome(format: FileFormat, bytes: Uint8Array) {
  try {
    return await readFlow(format, bytes)
  } catch (error) {
    if (error instanceof AppError && CODES.includes(error.code)) return error.code
    throw error
  }
}

describe.each(FORMATS)("%s", (format) => {
  const sample = SAMPLES[format]

  test("the sample is read, with nothing left out", async () => {
    const document = await readFlow(format, sample)
    expect(document.blocks.length).toBeGreaterThan(0)
    expect(document).toMatchObject({ pages: [], warnings: [] })
    for (const { table } of document.blocks) {
      expect(new Set(table?.rows.map((row) => row.length) ?? [0]).size).toBe(1)
    }
  })
  test("cut off anywhere, it is read or refused", async () => {
    const step = Math.max(1, Math.floor(sample.length / 40))
    for (let length = 0; length < sample.length; length += step) await outcome(format, sample.subarray(0, length))
  })
  test("with bytes changed, it is read or refused", async () => {
    const random = randomFrom(3)
    for (let round = 0; round < 60; round++) {
      const damaged = sample.slice()
      for (let hits = 0; hits <= round / 10; hits++) {
        const at = Math.floor(random() * damaged.length)
        damaged[at] = (damaged[at] ?? 0) ^ (1 << Math.floor(random() * 8))
      }
      await outcome(format, damaged)
    }
  })
  test("nothing in it is no document", async () => {
    for (const bytes of [new Uint8Array(), bytesOf(" \n\n ")]) {
      await expect(readFlow(format, bytes)).rejects.toMatchObject({ code: "document_unreadable" })
    }
  })
})

test.each([
  ["docx", docxParts("<w:p/>")],
  ["xlsx", xlsxParts({ S: "<sheetData/>" })],
  ["pptx", pptxParts([pptxShape("", "title")])],
  ["epub", epubParts({ "a.xhtml": "<p> </p>" })],
] as const)("a %s without words holds no text", async (format, parts) => {
  await expect(readFlow(format, zipOf(parts))).rejects.toThrow("The file holds no text.")
})

test("formats with pages aren't read here", async () => {
  await expect(readFlow("pdf", new Uint8Array())).rejects.toMatchObject({ code: "document_unsupported" })
})

describe("hostile archives", () => {
  /** The text part of a DOCX, changed after the fact in the ZIP around it. */
  const docxWith = (document: string | Uint8Array) => zipOf({ ...docxParts(""), "word/document.xml": document })

  test("a bomb is refused by what it unpacks to, whatever size it declares", async () => {
    const bomb = docxWith(new Uint8Array(ARCHIVE_LIMITS.partBytesMax + 1))
    expect(await outcome("docx", bomb)).toBe("document_too_large")
    const directory = Buffer.from(bomb).lastIndexOf("word/document.xml") - 46
    const liar = Buffer.from(bomb)
    liar.writeUInt32LE(10, directory + 24)
    expect(await outcome("docx", liar)).toBe("document_too_large")
  })
  test("a part that unpacks to a thousand times its size is refused before", async () => {
    expect(await outcome("docx", docxWith(new Uint8Array(20 << 20)))).toBe("document_too_large")
  })
  test("an archive with too many parts is refused", async () => {
    const crowded = Buffer.from(SAMPLES.docx)
    crowded.writeUInt16LE(ARCHIVE_LIMITS.entriesMax + 1, crowded.length - 12)
    expect(await outcome("docx", crowded)).toBe("document_too_large")
  })
  test("entities that a document declares stay as they are written", async () => {
    const laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    const parts = epubParts({ "a.xhtml": "<p>x &b; &amp;</p>" })
    const chapter = parts["OEBPS/a.xhtml"]?.replace("<html", `${laughs}<html`) ?? ""
    expect((await readFlow("epub", zipOf({ ...parts, "OEBPS/a.xhtml": chapter }))).blocks).toMatchObject([
      { text: "x &b; &" },
    ])
  })
  test.each(["docx", "pptx", "epub"] as const)("a %s nested 10,000 deep is refused", async (format) => {
    const deep = (tag: string) => `<${tag}>`.repeat(10_000)
    const files = {
      docx: docxParts(deep("w:sdt")),
      pptx: pptxParts([deep("p:grpSp")]),
      epub: epubParts({ "a.xhtml": deep("div") }),
    }
    expect(await outcome(format, zipOf(files[format]))).toBe("document_unreadable")
  })
  test("files with a password and those of before 2007 are told from damaged ones", async () => {
    const compound = Buffer.from("d0cf11e0a1b11ae1", "hex")
    const locked = Buffer.concat([compound, Buffer.alloc(600), Buffer.from("EncryptedPackage", "utf16le")])
    expect(await outcome("docx", locked)).toBe("document_encrypted")
    expect(await outcome("xlsx", Buffer.concat([compound, Buffer.alloc(600)]))).toBe("document_unsupported")
    const zip = Buffer.from(SAMPLES.epub)
    const entry = zip.lastIndexOf("META-INF/container.xml") - 46
    zip.writeUInt16LE(zip.readUInt16LE(entry + 8) | 1, entry + 8)
    expect(await outcome("epub", zip)).toBe("document_encrypted")
  })
})

describe("hostile markup", () => {
  test("a page nested 30,000 deep is read, its paragraphs apart", async () => {
    const { blocks } = await readFlow("html", bytesOf(`${"<div>".repeat(30_000)}<p>a<p>b`))
    expect(blocks.map(({ text }) => text)).toEqual(["a", "b"])
  })
  test("spans and blocks are bounded, and what is over is counted", async () => {
    const table = `<table>${"<tr><td colspan=1000 rowspan=65534>x<td>y".repeat(5_000)}</table>`
    const cellsRead = (await readFlow("html", bytesOf(table))).blocks[0]?.table?.rows.flat().length ?? 0
    expect(cellsRead).toBeLessThanOrEqual(FLOW_LIMITS.cellsMax)
    const { blocks, warnings } = await readFlow("html", bytesOf("<p>x".repeat(FLOW_LIMITS.blocksMax + 7)))
    expect(blocks).toHaveLength(FLOW_LIMITS.blocksMax)
    expect(warnings).toEqual([expect.stringMatching(/^Left out: 7 paragraphs/)])
  })
})
