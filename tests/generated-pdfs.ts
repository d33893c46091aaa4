import { degrees, PDFDocument, type PDFFont, PDFHexString, type PDFPage, rgb, StandardFonts } from "pdf-lib"

/** A word of a generated page and where it stands: points from the top left of the page as displayed. */
export interface PlacedWord {
  readonly text: string
  readonly page: number
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

/** A file and what is in it. */
export interface GeneratedPdf {
  readonly bytes: Uint8Array
  /** In order of reading. */
  readonly words: readonly PlacedWord[]
  /** Points, as displayed. */
  readonly width: number
  readonly height: number
}

const WIDTH = 420
const HEIGHT = 595
const SIZE = 12
const LEADING = 16
/** Ascent and descent of Helvetica, in parts of its size (its AFM file). */
const ASCENT = 0.718
const DESCENT = 0.207

/** Thirty different words of two languages, so that a line's words are told apart. */
const VOCABULARY =
  "harbour lantern coração winter ledger salt ação bridge orchard não stone river três letter copper window garden avô market silver candle forest manhã island copper thunder village água meadow northern".split(
    " ",
  )

/** `count` words, beginning at another place of the vocabulary for every `seed`. */
function wordsOf(count: number, seed = 0): string[] {
  return Array.from({ length: count }, (_, index) => VOCABULARY[(seed + index * 7) % VOCABULARY.length] ?? "salt")
}

interface Writer {
  readonly page: PDFPage
  readonly number: number
  readonly font: PDFFont
  readonly words: PlacedWord[]
  /** By how much text is turned counterclockwise, degrees. */
  readonly turn: number
  /** From points of the page as displayed, y downwards, to the page's own, y upwards. */
  toPage(x: number, y: number): [x: number, y: number]
}

/** Letter by letter: pdf-lib measures with kerning, and writes without. */
function widthOf(font: PDFFont, text: string): number {
  return [...text].reduce((width, letter) => width + font.widthOfTextAtSize(letter, SIZE), 0)
}

/** Writes one word upright as displayed, by its baseline. Its width. */
function writeWord({ page, number, font, words, turn, toPage }: Writer, text: string, x: number, y: number): number {
  const [pageX, pageY] = toPage(x, y)
  page.drawText(text, { x: pageX, y: pageY, size: SIZE, font, rotate: degrees(turn) })
  const width = widthOf(font, text)
  words.push({ text, page: number, x0: x, y0: y - ASCENT * SIZE, x1: x + width, y1: y + DESCENT * SIZE })
  return width
}

/** Writes words in lines from the left edge to the right. The baseline after the last. */
function writeLines(writer: Writer, texts: readonly string[], left: number, right: number, top: number): number {
  let [x, y] = [left, top]
  const space = widthOf(writer.font, " ")
  for (const text of texts) {
    if (x > left && x + widthOf(writer.font, text) > right) [x, y] = [left, y + LEADING]
    x += writeWord(writer, text, x, y) + space
  }
  return y + LEADING
}

async function start(): Promise<{ document: PDFDocument; font: PDFFont; addWriter(): Writer; words: PlacedWord[] }> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  const words: PlacedWord[] = []
  return {
    document,
    font,
    words,
    addWriter: () => ({
      page: document.addPage([WIDTH, HEIGHT]),
      number: document.getPageCount(),
      font,
      words,
      turn: 0,
      toPage: (x, y) => [x, HEIGHT - y],
    }),
  }
}

/** A page that is displayed turned clockwise, on which words were written so that they are upright when it is. */
export async function rotatedPdf(turn: 0 | 90 | 180 | 270): Promise<GeneratedPdf> {
  const { document, addWriter, words } = await start()
  const maps: Record<typeof turn, Writer["toPage"]> = {
    0: (x, y) => [x, HEIGHT - y],
    90: (x, y) => [y, x],
    180: (x, y) => [WIDTH - x, y],
    270: (x, y) => [WIDTH - y, HEIGHT - x],
  }
  const [width, height] = turn % 180 === 0 ? [WIDTH, HEIGHT] : [HEIGHT, WIDTH]
  const writer = { ...addWriter(), turn, toPage: maps[turn] }
  writer.page.setRotation(degrees(turn))
  writeLines(writer, wordsOf(60, turn), 50, width - 50, 80)
  return { bytes: await document.save(), words, width, height }
}

/** Words one below the other that run upwards, as along the edge of a chart. */
export async function upwardPdf(): Promise<GeneratedPdf> {
  const { document, font, addWriter, words } = await start()
  const { page } = addWriter()
  for (const [line, text] of wordsOf(8, 4).entries()) {
    const [x, y] = [100 + line * LEADING, 300]
    page.drawText(text, { x, y: HEIGHT - y, size: SIZE, font, rotate: degrees(90) })
    const length = widthOf(font, text)
    words.push({ text, page: 1, x0: x - ASCENT * SIZE, y0: y - length, x1: x + DESCENT * SIZE, y1: y })
  }
  return { bytes: await document.save(), words, width: WIDTH, height: HEIGHT }
}

/** A page of which only the inside of a CropBox is displayed; a line of words outside of it is not expected. */
export async function croppedPdf(): Promise<GeneratedPdf> {
  const { document, addWriter, words } = await start()
  const crop = { left: 40, top: 60, width: 320, height: 420 }
  const writer = addWriter()
  writer.page.setCropBox(crop.left, HEIGHT - crop.top - crop.height, crop.width, crop.height)
  writeLines({ ...writer, words: [] }, ["unseen", "outside"], 60, WIDTH, 40)
  const inside: Writer = { ...writer, toPage: (x, y) => [x + crop.left, HEIGHT - y - crop.top] }
  writeLines(inside, wordsOf(50, 3), 20, 300, 40)
  return { bytes: await document.save(), words, width: crop.width, height: crop.height }
}

/** Two columns, written one line of both at a time, as some programs do. */
export async function twoColumnPdf(): Promise<GeneratedPdf> {
  const { document, addWriter, words } = await start()
  const writer = addWriter()
  writeLines(writer, wordsOf(70, 5), 40, 195, 60)
  writeLines(writer, wordsOf(70, 11), 225, 380, 60)
  return { bytes: await document.save(), words, width: WIDTH, height: HEIGHT }
}

/** A table of four rows and three columns under a line of text. */
export async function tablePdf(
  ruled: boolean,
): Promise<GeneratedPdf & { readonly rows: readonly (readonly string[])[] }> {
  const { document, addWriter, words } = await start()
  const writer = addWriter()
  writeLines(writer, ["Prices", "of", "salt"], 40, 380, 60)
  const rows = [
    ["Year", "Harbour", "Price"],
    ["1901", "Porto", "12.50"],
    ["1902", "Lisboa", "13.75"],
    ["1903", "Faro", "11.20"],
  ]
  const [left, top, columnWidth, rowHeight] = [40, 90, 110, 20]
  for (const [row, cells] of rows.entries()) {
    for (const [column, cell] of cells.entries()) {
      writeWord(writer, cell, left + 4 + column * columnWidth, top + 14 + row * rowHeight)
    }
  }
  const [right, bottom] = [left + 3 * columnWidth, top + rows.length * rowHeight]
  const line = (x0: number, y0: number, x1: number, y1: number) =>
    writer.page.drawLine({
      start: { x: x0, y: HEIGHT - y0 },
      end: { x: x1, y: HEIGHT - y1 },
      thickness: 0.8,
      color: rgb(0, 0, 0),
    })
  for (let row = 0; ruled && row <= rows.length; row += 1)
    line(left, top + row * rowHeight, right, top + row * rowHeight)
  for (let column = 0; ruled && column <= 3; column += 1) {
    line(left + column * columnWidth, top, left + column * columnWidth, bottom)
  }
  return { bytes: await document.save(), words, width: WIDTH, height: HEIGHT, rows }
}

/** A page with a picture (PNG or JPEG bytes) in a box of it, and words above. */
export async function figurePdf(picture: Uint8Array): Promise<GeneratedPdf> {
  const { document, addWriter, words } = await start()
  const writer = addWriter()
  writeLines(writer, wordsOf(40, 2), 40, 380, 60)
  const image = await document.embedPng(picture)
  writer.page.drawImage(image, { x: 60, y: HEIGHT - 400, width: 200, height: 150 })
  return { bytes: await document.save(), words, width: WIDTH, height: HEIGHT }
}

/** A book of `pages` pages of text, each with its number at the foot. */
export async function manyPagesPdf(pages: number): Promise<GeneratedPdf> {
  const { document, addWriter, words } = await start()
  document.setTitle("A generated book")
  for (let number = 1; number <= pages; number += 1) {
    const writer = addWriter()
    writeLines(writer, wordsOf(150, number), 50, WIDTH - 50, 70)
    writeWord(writer, String(number), WIDTH / 2, HEIGHT - 30)
  }
  return { bytes: await document.save(), words, width: WIDTH, height: HEIGHT }
}

/**
 * Pictures as pages, without a text layer, at the size of the page that they are pictures of. Between them come pages of
 * text where a picture is null. `words` are those of the pages of text alone.
 */
export async function scannedPdf(pictures: readonly (Uint8Array | null)[]): Promise<GeneratedPdf> {
  const { document, addWriter, words } = await start()
  for (const picture of pictures) {
    const writer = addWriter()
    if (picture === null) writeLines(writer, wordsOf(60, 9 + writer.number), 50, WIDTH - 50, 80)
    else writer.page.drawImage(await document.embedPng(picture), { x: 0, y: 0, width: WIDTH, height: HEIGHT })
  }
  return { bytes: await document.save(), words, width: WIDTH, height: HEIGHT }
}

/** A form whose field was filled in; what stands in it is in no page's content. */
export async function filledFormPdf(value: string): Promise<Uint8Array> {
  const { document, addWriter } = await start()
  const writer = addWriter()
  writeLines(writer, ["Name", "of", "the", "applicant"], 40, 380, 60)
  const field = document.getForm().createTextField("name")
  field.setText(value)
  field.addToPage(writer.page, { x: 40, y: HEIGHT - 110, width: 200, height: 20, font: writer.font })
  return await document.save()
}

/** One page with a picture of one bit a pixel, all white, of which only the size is large: `side` × `side`. */
export async function hugePicturePdf(side: number): Promise<Uint8Array> {
  const { document, addWriter } = await start()
  const { page } = addWriter()
  const stream = document.context.stream(new Uint8Array(16), {
    Type: "XObject",
    Subtype: "Image",
    Width: side,
    Height: side,
    ColorSpace: "DeviceGray",
    BitsPerComponent: 1,
    Filter: "CCITTFaxDecode",
    DecodeParms: { K: -1, Columns: side, Rows: side },
  })
  const name = page.node.newXObject("Huge", document.context.register(stream))
  const content = document.context.stream(`q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm ${name} Do Q`)
  page.node.addContentStream(document.context.register(content))
  return await document.save()
}

/** A PDF whose encryption dictionary asks for a password that nobody has. */
export async function encryptedPdf(): Promise<Uint8Array> {
  const { document, addWriter } = await start()
  writeLines(addWriter(), ["secret"], 40, 380, 60)
  const { context } = document
  context.trailerInfo.Encrypt = context.register(
    context.obj({ Filter: "Standard", V: 2, R: 3, Length: 128, P: -44, O: hexOf(1), U: hexOf(2) }),
  )
  context.trailerInfo.ID = context.obj([hexOf(3), hexOf(3)])
  return await document.save({ useObjectStreams: false })
}

/** 32 bytes that belong to no password. */
function hexOf(byte: number): PDFHexString {
  return PDFHexString.of(byte.toString(16).padStart(2, "0").repeat(32))
}
