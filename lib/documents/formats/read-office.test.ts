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
import { renderBlocks } from "../../../tests/render-document.ts"
import { readDocx } from "./read-docx.ts"
import { readEpub } from "./read-epub.ts"
import { readPptx } from "./read-pptx.ts"
import { readXlsx } from "./read-xlsx.ts"

describe("DOCX", () => {
  const read = (body: string) => readDocx(zipOf(docxParts(body)))
  const style = (id: string) => `<w:pStyle w:val="${id}"/>`
  const numbered = (level: number) => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`
  const picture = (description: string) =>
    `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="${description}"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="r5"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
  const cell = (text: string, properties = "") => `<w:tc><w:tcPr>${properties}</w:tcPr>${docxParagraph(text)}</w:tc>`

  test("headings are told by name, by what they are based on, by outline level; lines of contents go", async () => {
    const body = [
      docxParagraph("Um", style("Ttulo1")),
      docxParagraph("Dois", style("Meu")),
      docxParagraph("Três", style("Nivel")),
      docxParagraph("Um 3", style("TOC1")),
      docxParagraph("texto"),
    ]
    const document = await read(body.join(""))
    expect(renderBlocks(document)).toEqual(["# Um", "# Dois", "### Três", "texto"])
    expect(document).toMatchObject({ title: "Relatório", language: "pt-BR", warnings: ["Left out: 1 comments."] })
  })
  test("lists and footnotes", async () => {
    const note = `<w:p><w:r><w:t>x</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`
    const body =
      docxParagraph("a", numbered(0)) + docxParagraph("b", numbered(1)) + docxParagraph("c", numbered(0)) + note
    expect(renderBlocks(await read(body))).toEqual(["- a\n  1. b\n- c", "x[1]", "1. A note."])
  })
  test("tables with merged cells and a head", async () => {
    const row = (cells: string, properties = "") => `<w:tr><w:trPr>${properties}</w:trPr>${cells}</w:tr>`
    const rows = [
      row(cell("h", `<w:gridSpan w:val="2"/>`), "<w:tblHeader/>"),
      row(cell("a", `<w:vMerge w:val="restart"/>`) + cell("1")),
      row(cell("", "<w:vMerge/>") + cell("2")),
    ]
    expect(renderBlocks(await read(`<w:tbl>${rows.join("")}</w:tbl>`))).toEqual(["[table 1] h | h\na | 1\na | 2"])
  })
  test("pictures by their alternative texts, the others counted, and objects", async () => {
    const document = await read(
      `${docxParagraph("x")}${picture("A map")}${picture("")}<w:p><w:r><w:object/></w:r></w:p>`,
    )
    expect(renderBlocks(document)).toEqual(["x", "[figure] A map"])
    expect(document.warnings).toEqual([
      "Left out: 1 embedded objects, charts or diagrams.",
      "Left out: 1 comments.",
      "Left out: 1 pictures without alternative text.",
    ])
  })
})

describe("XLSX", () => {
  const read = (sheet: string, strings: readonly string[] = []) =>
    readXlsx(zipOf(xlsxParts({ S: `<sheetData>${sheet}</sheetData>` }, strings)))
  const row = (...cells: string[]) => `<row>${cells.join("")}</row>`
  const number = (value: string, style = 0) => `<c s="${style}"><v>${value}</v></c>`

  test.each([
    ["integers and fractions", number("42") + number("0.30000000000000004"), "42 | 0.3"],
    ["dates", number("45356", 1) + number("45356.5", 4), "2024-03-05 | 2024-03-05 12:00"],
    ["the days before Excel's leap day", number("1", 1) + number("61", 1), "1900-01-01 | 1900-03-01"],
    [
      "percentages, hours, text in formats",
      number("0.255", 2) + number("1.25", 3) + number("2", 5),
      "25.5% | 30:00:00 | 2",
    ],
    ["truth values and errors", '<c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c>', "TRUE | #N/A"],
    ["texts by number, in runs, without reading aids", '<c t="s"><v>0</v></c><c t="s"><v>1</v></c>', "ab | x"],
    [
      "texts in place, and what formulas gave",
      '<c t="inlineStr"><is><t>i</t></is></c><c t="str"><f>A1</f><v>f_x0041_</v></c>',
      "i | fA",
    ],
    ["a text or a style that isn't there", '<c t="s"><v>9</v></c><c t="n" s="99"><v>7</v></c><c><v>8</v></c>', "7 | 8"],
    ["dates out of range", number("-1", 1) + number("1e99", 1), "-1 | 1e+99"],
  ])("%s", (_, cells, expected) => {
    const document = read(row(cells), [
      "<si><r><t>a</t></r><r><t>b</t></r></si>",
      "<si><t>x</t><rPh><t>y</t></rPh></si>",
    ])
    expect(document.blocks.at(-1)?.text).toBe(expected)
  })

  test("sheets in order, each a heading and a table; rows over the table are text, empty rows and columns go", () => {
    const text = (value: string, place: string) => `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`
    const parts = xlsxParts({
      Vendas: `<sheetData>${row(text("Relatório", "B1"))}<row r="4">${text("Dia", "B4")}${text("Valor", "XFD4")}</row><row r="9">${text("1", "B9")}<c r="XFD9"><v>2</v></c></row></sheetData>`,
      Vazia: "<sheetData/>",
      Fim: `<sheetData>${row(text("a", "A1"))}</sheetData>`,
    })
    expect(renderBlocks(readXlsx(zipOf(parts)))).toEqual([
      "# Vendas",
      "Relatório",
      "[table 1] Dia | Valor\n1 | 2",
      "# Fim",
      "[table 0] a",
    ])
  })
  test("a cell merged over rows is repeated in each", () => {
    const sheet = `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row><row r="2"><c r="B2"><v>3</v></c></row></sheetData><mergeCells><mergeCell ref="A1:A1048576"/></mergeCells>`
    expect(readXlsx(zipOf(xlsxParts({ S: sheet }))).blocks[1]?.text).toBe("1 | 2\n1 | 3")
  })
  test("a formula without a value is counted", () => {
    expect(read(row("<c><f>A2</f></c>", number("1"))).warnings).toEqual([
      "Left out: 1 formulas that were never calculated.",
    ])
  })
  test("cells in the last row and column fill nothing", () => {
    const far = `<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row><row r="1048576"><c r="XFD1048576"><v>3</v></c></row>`
    expect(read(far).blocks[1]?.text).toBe("1 | 2 | \n |  | 3")
  })
})

describe("PPTX", () => {
  const picture = (attributes: string) =>
    `<p:pic><p:nvPicPr><p:cNvPr id="4" name="x" ${attributes}/></p:nvPicPr></p:pic>`
  const tableCell = (text: string, attributes = "") =>
    `<a:tc ${attributes}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`

  test("slides in the order of the show: title, frames, groups, notes; what is on every slide goes", () => {
    const first = pptxShape("One", "ctrTitle") + pptxShape("a\n\tb\n\t\tc", "body") + pptxShape("7", "sldNum")
    const second = `<p:grpSp>${pptxShape("grouped")}</p:grpSp>`
    const document = readPptx(zipOf(pptxParts([first, second], ["say this"])))
    expect(renderBlocks(document)).toEqual(["# One", "a\n- b\n  - c", "say this", "# Slide 2", "grouped"])
    expect(document).toMatchObject({ title: "Show", language: "en" })
  })
  test("tables with merged cells, pictures, what can't be read", () => {
    const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/><a:tr>${tableCell("h", 'gridSpan="2"')}${tableCell("", 'hMerge="1"')}</a:tr><a:tr>${tableCell("a", 'rowSpan="2"')}${tableCell("1")}</a:tr><a:tr>${tableCell("", 'vMerge="1"')}${tableCell("2")}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
    const chart = "<p:graphicFrame><a:graphic/></p:graphicFrame>"
    const document = readPptx(zipOf(pptxParts([table + picture('descr="A map"') + picture("") + chart])))
    expect(renderBlocks(document)).toEqual(["# Slide 1", "[table 1] h | h\na | 1\na | 2", "[figure] A map"])
    expect(document.warnings).toEqual([
      "Left out: 1 pictures without alternative text.",
      "Left out: 1 embedded objects, charts or diagrams.",
    ])
  })
})

describe("EPUB", () => {
  const book = { "2 é.xhtml": "<h1>Um</h1><p>a<br/>b</p>", "1.xhtml": "<h1>Dois</h1><p>c &#233;&nbsp;d</p>" }

  test("chapters in the order of the spine, without the contents", () => {
    const document = readEpub(zipOf(epubParts(book)))
    expect(renderBlocks(document)).toEqual(["# Um", "a\nb", "# Dois", expect.stringMatching(/^c é/)])
    expect(document).toMatchObject({ title: "Dom Casmurro", language: "pt", warnings: [] })
  })
  test("a chapter that is missing is counted", () => {
    const { "OEBPS/1.xhtml": _, ...parts } = epubParts(book)
    expect(readEpub(zipOf(parts)).warnings).toEqual(["Left out: 1 chapters that the file names but doesn't hold."])
  })
  test("encrypted chapters are refused, scrambled fonts aren't", () => {
    const encryption = (algorithm: string, uri: string) =>
      `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/><CipherData><CipherReference URI="${uri}"/></CipherData></EncryptedData></encryption>`
    const withIt = (part: string) => zipOf({ ...epubParts(book), "META-INF/encryption.xml": part })
    expect(() => readEpub(withIt(encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/1.xhtml")))).toThrow(
      "DRM",
    )
    expect(readEpub(withIt(encryption("http://www.idpf.org/2008/embedding", "OEBPS/f.otf"))).blocks).toHaveLength(4)
  })
})
