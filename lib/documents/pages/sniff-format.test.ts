import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { strToU8, zipSync } from "fflate"
import sharp from "sharp"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sniffFormat } from "./sniff-format.ts"

let folder: string
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "concordance-sniff-"))
})
afterAll(() => rm(folder, { recursive: true }))

async function sniff(content: Uint8Array | string, name: string) {
  files += 1
  const path = join(folder, `file-${files}`)
  await writeFile(path, content)
  return await sniffFormat(path, name)
}

function zip(...names: string[]): Uint8Array {
  return zipSync(Object.fromEntries(names.map((name) => [name, strToU8("<x/>")])))
}

const blank = sharp({ create: { width: 4, height: 4, channels: 3, background: "white" } })

/** [MS-CFB]: a header, a sector of the table of sectors, a sector of the directory. */
function ole(...streams: string[]): Buffer {
  const file = Buffer.alloc(512 * (2 + Math.ceil(streams.length / 4)))
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(file)
  file.writeUInt16LE(9, 30)
  file.writeUInt32LE(1, 48)
  file.writeUInt32LE(0, 76)
  for (const [index, name] of streams.entries()) {
    const sector = 1 + Math.floor(index / 4)
    file.writeUInt32LE(sector * 4 + 4 >= streams.length + 4 ? 0xff_ff_ff_fe : sector + 1, 512 + sector * 4)
    const at = 1_024 + index * 128
    file.write(name, at, "utf16le")
    file.writeUInt16LE(name.length * 2 + 2, at + 64)
  }
  return file
}

describe("content tells the format, whatever the name says", () => {
  test.each([
    ["pdf", "%PDF-1.4\n"],
    ["pdf", `\r\njunk before it\n%PDF-1.7\n`],
    ["docx", zip("[Content_Types].xml", "word/document.xml")],
    ["xlsx", zip("[Content_Types].xml", "xl\\workbook.xml")],
    ["pptx", zip("ppt/presentation.xml")],
    ["epub", zip("mimetype", "META-INF/container.xml")],
    ["html", "<!-- saved -->\n<!DOCTYPE html><p>Salt"],
    ["html", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'],
    ["text", "Plain words\n"],
    ["text", '{"json": true}'],
  ])("%s", async (format, content) => {
    expect((await sniff(content, "misnamed.csv.png")).format).toBe(format)
  })

  test.each(["png", "jpeg", "webp", "tiff"] as const)("a picture: %s", async (type) => {
    const file = await blank.clone().toFormat(type).toBuffer()
    expect(await sniff(file, "x.pdf")).toEqual({ format: "image", mimeType: `image/${type}` })
  })
})

test("the name decides among text formats alone", async () => {
  const table = "a,b\n1,2\n"
  expect((await sniff(table, "prices.CSV")).format).toBe("csv")
  expect((await sniff(table, "notes.md")).format).toBe("markdown")
  expect((await sniff("<div align=center>\n\n# Read me", "README.md")).format).toBe("markdown")
  expect((await sniff(table, "prices.pdf")).format).toBe("text")
})

test("text is text in UTF-8, UTF-16 and Latin-1, also where what was read ends inside a character", async () => {
  const long = "ã".repeat(70_000)
  const encodings = [
    long,
    Buffer.from("\ufeffcoração", "utf16le"),
    Buffer.from("coração, água", "utf16le"),
    Buffer.from("coração", "latin1"),
    `a${long}`,
  ]
  for (const content of encodings) expect((await sniff(content, "a")).format).toBe("text")
})

test.each([
  ["document_unsupported", "other bytes", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 0, 0, 3])],
  ["document_unsupported", "text with controls in it", Buffer.from("ab\u0001cd")],
  ["document_unsupported", "another archive", zip("photos/a.png")],
  ["document_unsupported", "an OpenDocument", zip("mimetype", "content.xml")],
  ["document_unsupported", "an SVG picture", '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
  ["document_unsupported", "RTF", "{\\rtf1 words}"],
  ["document_unsupported", "GIF", "GIF89a\u0001\u0000"],
  ["document_unsupported", "Word before 2007", ole("Root Entry", "1Table", "WordDocument")],
  ["document_unsupported", "Excel before 2007", ole("Root Entry", "Workbook")],
  ["document_encrypted", "an Office file with a password", ole("Root Entry", "EncryptionInfo", "EncryptedPackage")],
  ["document_encrypted", "the same behind other streams", ole("Root Entry", "a", "b", "c", "d", "EncryptedPackage")],
  ["document_unreadable", "an empty file", ""],
  ["document_unreadable", "blanks", " \n\n"],
  ["document_unreadable", "an archive that was cut off", zip("word/document.xml").subarray(0, 60)],
])("%s: %s", async (code, _kind, content) => {
  await expect(sniff(content, "a.docx")).rejects.toMatchObject({ code })
})

test("a reason says what can be read, or what to save it as", async () => {
  await expect(sniff(Buffer.from([0, 1, 2, 3]), "a.bin")).rejects.toThrow(/PDF, PNG, .* can be read/u)
  await expect(sniff(ole("Root Entry", "WordDocument"), "a.doc")).rejects.toThrow(/Save the file as DOCX/u)
})
