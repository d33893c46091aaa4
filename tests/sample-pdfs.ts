import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { degrees, PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from "pdf-lib"
import { openPdf } from "../lib/documents/pages/open-pdf.ts"
import { openPdfium } from "../lib/documents/pages/open-pdfium.ts"
import { renderPdfPage } from "../lib/documents/pages/render-pdf-page.ts"
import { randomFrom } from "../lib/random.ts"

// The PDFs of samples/: `npm run samples:pdfs` writes them, and the same text gives the same bytes on every machine.

/** A4, points. */
const WIDTH = 595
const HEIGHT = 842
const MARGIN = 56
const GUTTER = 24
const COLUMN = (WIDTH - 2 * MARGIN - GUTTER) / 2
const SIZE = 10.5
const LEADING = 14

const TITLE = "The ice house of Penhalta"
const SUBTITLE = "Report to the fishermen's guild on its second year, read at the assembly of 9 January 1937"

/** Headings begin with `# `. */
const FIRST_PAGE: readonly (readonly string[])[] = [
  [
    "# Why ice",
    "Until 1934 the boats of Penhalta fished for salt. What was landed after noon could not reach the mainland fresh, because the steamer left at six in the morning, and in August a box of mackerel was worth half as much at the end of the quay as at its beginning.",
    "The guild therefore resolved, by 41 votes to 9, to build an ice house on the ground of the old rope walk. It borrowed 210,000 escudos for twenty years and began to freeze on 3 March 1935.",
    "# The building",
    "The walls are double, of basalt from the Serra do Cuco, and the space between them, forty centimetres wide, is filled with cork. The store holds 60 tonnes. A door toward the quay is opened for loading only, and a second one behind it is closed first.",
    "Rain water is taken from the roof of the net loft and, in dry months, from the fountain of the upper town, as the river Fria is brackish below the salt pans.",
  ],
  [
    "# How ice is made",
    "A compressor of 35 horsepower, driven by a gas-oil engine, cools a tank of brine to nine degrees below zero. In the tank hang 120 cans of 25 kilograms each. They are full of ice after nineteen hours, and are then dipped in warm water, so that the block slides out.",
    "Ammonia is dangerous. Whoever smells it leaves the engine room at once by the seaward door, closes the red valve on the outside wall, and rings the bell of the lifeboat house. It has been rung once, in October, for a cracked gasket; nobody was hurt.",
    "# Who may buy",
    "Members buy at the price of the table overleaf and others, once the members are served, at the same. Ice for the sick is given free on a note of the doctor, at any hour.",
    "A boat that leaves for more than two nights orders its ice by noon of the day before. What was ordered and not fetched is charged in full.",
  ],
]

const TABLE_CAPTION = "Ice made and sold in 1936"
const TABLE: readonly (readonly string[])[] = [
  ["Quarter", "Made, tonnes", "Sold, tonnes", "Price, escudos a tonne", "Days without freezing"],
  ["January to March", "118", "97", "68", "11"],
  ["April to June", "204", "196", "62", "3"],
  ["July to September", "287", "285", "62", "0"],
  ["October to December", "141", "120", "68", "9"],
  ["Year", "750", "698", "64", "23"],
]

const SECOND_PAGE: readonly (readonly string[])[] = [
  [
    "# Income and expense",
    "Sales brought 44,578 escudos, and the rent of the cold room to the butcher 3,600. Gas oil cost 17,940, wages of the engineer and his boy 14,400, ammonia and repairs 5,130, interest and repayment of the loan 16,850. The loss of 6,142 escudos is half of that of the first year.",
  ],
  [
    "# What remains to be done",
    "The engineer asks for a second tank. The committee would rather insulate the ceiling first, through which a seventh of the cold escapes, and put the matter of the tank before the assembly of 1938.",
    "Signed for the committee: Leonor Tavares, treasurer.",
  ],
]

export const NOTICE_TITLE = ["CAPITANIA DO PORTO DE PENHALTA", "Edital n.º 14 de 1949"]
/** As a clerk typed it; an empty line ends a paragraph. */
export const NOTICE = `Faz-se saber que, a partir de 1 de maio de
1949, os barcos que carregam sal no cais da
foz do rio Fria ficam sujeitos às regras
seguintes.

1. Nenhum barco encosta sem licença do cabo
do mar, que a passa até às 17 horas da
véspera e cobra 12 escudos por maré.

2. O sal é pesado na balança da capitania, em
sacos de 50 quilos, na presença do mestre e
do dono da salina.

3. É proibido carregar com vento de sudoeste
de força 6 ou superior, mesmo com o barco já
amarrado.

4. O sal que cair na água não se desconta; o
que cair no cais é de quem o apanhar.

5. A prancha do cais foi reforçada e aguenta
agora 800 quilos. Carroças com dois bois não
passam.

Quem faltar ao disposto paga multa de 150
escudos, e o dobro à segunda vez.

Penhalta, 11 de abril de 1949.

O capitão do porto,
Henrique Brum`

/** Two pages in two columns with a ruled table, in English. */
export async function twoColumnSample(): Promise<Uint8Array> {
  const document = await create(TITLE, "en")
  const fonts = {
    text: await document.embedFont(StandardFonts.TimesRoman),
    bold: await document.embedFont(StandardFonts.TimesRomanBold),
  }
  const first = document.addPage([WIDTH, HEIGHT])
  first.drawText(TITLE, { x: MARGIN, y: HEIGHT - 80, size: 22, font: fonts.bold })
  first.drawText(SUBTITLE, { x: MARGIN, y: HEIGHT - 102, size: 11, font: fonts.text })
  writeColumns(first, FIRST_PAGE, 140, fonts)
  const second = document.addPage([WIDTH, HEIGHT])
  second.drawText(TABLE_CAPTION, { x: MARGIN, y: HEIGHT - 80, size: 12, font: fonts.bold })
  const below = writeTable(second, 92, fonts)
  writeColumns(second, SECOND_PAGE, below + 36, fonts)
  for (const [index, page] of [first, second].entries()) {
    page.drawText(String(index + 1), { x: WIDTH / 2 - 3, y: 40, size: SIZE, font: fonts.text })
  }
  return document.save()
}

interface Fonts {
  readonly text: PDFFont
  readonly bold: PDFFont
}

/** `top` is the first baseline, points from the top of the page. */
function writeColumns(page: PDFPage, columns: readonly (readonly string[])[], top: number, fonts: Fonts): void {
  for (const [column, paragraphs] of columns.entries()) {
    const x = MARGIN + column * (COLUMN + GUTTER)
    let y = top
    for (const paragraph of paragraphs) {
      const isHeading = paragraph.startsWith("# ")
      const font = isHeading ? fonts.bold : fonts.text
      const size = isHeading ? 13 : SIZE
      for (const line of linesOf(paragraph.replace("# ", ""), font, size)) {
        page.drawText(line, { x, y: HEIGHT - y, size, font })
        y += LEADING
      }
      y += isHeading ? 4 : 8
    }
  }
}

function linesOf(paragraph: string, font: PDFFont, size: number): string[] {
  const lines: string[] = []
  let line = ""
  for (const word of paragraph.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (line !== "" && font.widthOfTextAtSize(longer, size) > COLUMN) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

/** The table over the whole width, and where it ends, points from the top of the page. */
function writeTable(page: PDFPage, top: number, fonts: Fonts): number {
  const height = 22
  const shares = [0.24, 0.17, 0.17, 0.21, 0.21]
  const edges = [0, ...shares].map((_, index) => {
    const before = shares.slice(0, index).reduce((sum, share) => sum + share, 0)
    return MARGIN + before * (WIDTH - 2 * MARGIN)
  })
  const bottom = top + TABLE.length * height
  for (const [row, cells] of TABLE.entries()) {
    const font = row === 0 ? fonts.bold : fonts.text
    for (const [column, cell] of cells.entries()) {
      const x = (edges[column] ?? MARGIN) + 5
      page.drawText(cell, { x, y: HEIGHT - (top + row * height + 15), size: 9, font })
    }
  }
  const rule = (x0: number, y0: number, x1: number, y1: number) => {
    page.drawLine({
      start: { x: x0, y: HEIGHT - y0 },
      end: { x: x1, y: HEIGHT - y1 },
      thickness: 0.6,
      color: rgb(0, 0, 0),
    })
  }
  for (let row = 0; row <= TABLE.length; row++) rule(MARGIN, top + row * height, WIDTH - MARGIN, top + row * height)
  for (const x of edges) rule(x, top, x, bottom)
  return bottom
}

/** A typed page in Portuguese as a copier leaves it: a little askew, with specks, and nothing but a picture. */
export async function scannedSample(): Promise<Uint8Array> {
  const { pixels, width, height } = await renderAtScanDpi(await typedNotice())
  const scan = await create("Edital n.º 14 de 1949", "pt")
  const page = scan.addPage([WIDTH, HEIGHT])
  // Two bits a pixel keep it small; pdf-lib compresses in JavaScript, so that the bytes are the same everywhere.
  const picture = scan.context.flateStream(toTwoBits(copied(pixels, width), width, height), {
    Type: "XObject",
    Subtype: "Image",
    Width: width,
    Height: height,
    ColorSpace: "DeviceGray",
    BitsPerComponent: 2,
  })
  const name = page.node.newXObject("Scan", scan.context.register(picture))
  const content = scan.context.stream(`q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm ${name} Do Q`)
  page.node.addContentStream(scan.context.register(content))
  return scan.save()
}

async function typedNotice(): Promise<Uint8Array> {
  const document = await create("", "pt")
  const font = await document.embedFont(StandardFonts.Courier)
  const bold = await document.embedFont(StandardFonts.CourierBold)
  const page = document.addPage([WIDTH, HEIGHT])
  const askew = 0.4
  const write = (text: string, x: number, top: number, size: number, face: PDFFont) => {
    const lift = x * Math.tan((askew * Math.PI) / 180)
    page.drawText(text, { x, y: HEIGHT - top + lift, size, font: face, rotate: degrees(askew) })
  }
  for (const [line, text] of NOTICE_TITLE.entries()) write(text, 100, 90 + line * 24, 15, bold)
  for (const [line, text] of NOTICE.split("\n").entries()) write(text, 90, 160 + line * 18, 13, font)
  return document.save()
}

/** Grey, one byte a pixel. */
async function renderAtScanDpi(pdf: Uint8Array) {
  const folder = await mkdtemp(join(tmpdir(), "concordance-sample-"))
  try {
    const path = join(folder, "notice.pdf")
    await writeFile(path, pdf)
    const file = openPdf(await openPdfium(2 ** 28), path)
    const { width, height, pixels, channels } = file.withPage(1, (page) => renderPdfPage(page, 200))
    if (channels !== 1) throw new Error("The notice is black on white")
    const kept = { width, height, pixels: pixels.slice() }
    file.close()
    return kept
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Ink that is not quite black, and a speck here and there. */
function copied(pixels: Uint8Array, width: number): Uint8Array {
  const random = randomFrom(1949)
  const copy = pixels.map((grey) => Math.max(grey, 60))
  for (let speck = 0; speck < 250; speck++) {
    const at = Math.floor(random() * pixels.length)
    for (const near of [0, 1, width, width + 1]) if (at + near < copy.length) copy[at + near] = 60 + random() * 130
  }
  return copy
}

/** Rows are padded to whole bytes, as PDF wants them. */
function toTwoBits(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const rowBytes = Math.ceil(width / 4)
  const packed = new Uint8Array(rowBytes * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const level = Math.min(3, (pixels[y * width + x] ?? 255) >> 6)
      const at = y * rowBytes + (x >> 2)
      packed[at] = (packed[at] ?? 0) | (level << (6 - 2 * (x & 3)))
    }
  }
  return packed
}

async function create(title: string, language: string): Promise<PDFDocument> {
  const document = await PDFDocument.create({ updateMetadata: false })
  document.setTitle(title)
  document.setLanguage(language)
  document.setProducer("Concordance samples")
  return document
}
