import { strToU8, type Zippable, zipSync } from "fflate"

/** A ZIP of text parts. */
export function zipOf(parts: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const files: Zippable = {}
  for (const [name, part] of Object.entries(parts)) files[name] = typeof part === "string" ? strToU8(part) : part
  return zipSync(files)
}

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
const A = "http://schemas.openxmlformats.org/drawingml/2006/main"

/** A part of relationships: `[id, last part of the type, target]`. */
function relationshipsOf(...relationships: (readonly [id: string, type: string, target: string])[]): string {
  const entries = relationships.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  const xmlns = "http://schemas.openxmlformats.org/package/2006/relationships"
  return `<?xml version="1.0"?><Relationships xmlns="${xmlns}">${entries.join("")}</Relationships>`
}

/** Parts of a DOCX around the content of its body. */
export function docxParts(body: string): Record<string, string> {
  const style = (id: string, name: string, more = "") =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`
  return {
    "_rels/.rels": relationshipsOf(["r1", "officeDocument", "word/document.xml"]),
    "word/document.xml": `<w:document xmlns:w="${W}" xmlns:r="${OFFICE}" xmlns:a="${A}" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:body>${body}</w:body></w:document>`,
    "word/styles.xml": `<w:styles xmlns:w="${W}">${style("Ttulo1", "heading 1")}${style("Meu", "Meu estilo", '<w:basedOn w:val="Ttulo1"/>')}${style("Nivel", "Nível", '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>')}${style("TOC1", "toc 1")}</w:styles>`,
    "word/_rels/document.xml.rels": relationshipsOf(
      ["r1", "styles", "styles.xml"],
      ["r2", "footnotes", "footnotes.xml"],
      ["r3", "comments", "comments.xml"],
      ["r4", "numbering", "numbering.xml"],
      ["r5", "image", "media/image1.png"],
    ),
    "word/footnotes.xml": `<w:footnotes xmlns:w="${W}"><w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
    "word/comments.xml": `<w:comments xmlns:w="${W}"><w:comment w:id="0"><w:p><w:r><w:t>Remark</w:t></w:r></w:p></w:comment></w:comments>`,
    "word/numbering.xml": `<w:numbering xmlns:w="${W}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    "word/media/image1.png": "no picture",
    "docProps/core.xml": coreProperties("Relatório", "pt-BR"),
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="png" ContentType="image/png"/></Types>`,
  }
}

/** A paragraph of WordprocessingML; `properties` goes into its `pPr`. */
export function docxParagraph(text: string, properties = ""): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
}

/** Parts of an XLSX of sheets by name: each the content of its `worksheet`. */
export function xlsxParts(
  sheets: Readonly<Record<string, string>>,
  strings: readonly string[] = [],
): Record<string, string> {
  const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"`
  const names = Object.keys(sheets)
  const parts: Record<string, string> = {
    "_rels/.rels": relationshipsOf(["r1", "officeDocument", "xl/workbook.xml"]),
    "xl/workbook.xml": `<workbook ${main}><sheets>${names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationshipsOf(
      ["st", "styles", "styles.xml"],
      ["ss", "sharedStrings", "sharedStrings.xml"],
      ...names.map((_, index) => [`s${index}`, "worksheet", `worksheets/sheet${index + 1}.xml`] as const),
    ),
    // Styles: 0 plain, 1 date, 2 percent, 3 elapsed hours, 4 date and time in a format of its own, 5 with text in quotes.
    "xl/styles.xml": `<styleSheet ${main}><numFmts><numFmt numFmtId="164" formatCode="[h]:mm:ss"/><numFmt numFmtId="165" formatCode="dd/mm/yyyy\\ hh:mm"/><numFmt numFmtId="166" formatCode="0.0&quot; days&quot;;[Red]-0.0"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>`,
    "xl/sharedStrings.xml": `<sst ${main}>${strings.join("")}</sst>`,
  }
  for (const [index, sheet] of Object.values(sheets).entries()) {
    parts[`xl/worksheets/sheet${index + 1}.xml`] = `<worksheet ${main}>${sheet}</worksheet>`
  }
  return parts
}

/** Parts of a PPTX of slides, each the content of its `spTree`; the show has them in the opposite order of their files. */
export function pptxParts(slides: readonly string[], notes: readonly string[] = []): Record<string, string> {
  const xmlns = `xmlns:a="${A}" xmlns:r="${OFFICE}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
  const file = (index: number) => `slides/slide${slides.length - index}.xml`
  const parts: Record<string, string> = {
    "_rels/.rels": relationshipsOf(["r1", "officeDocument", "ppt/presentation.xml"]),
    "ppt/presentation.xml": `<p:presentation ${xmlns}><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="s${index}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationshipsOf(
      ...slides.map((_, index) => [`s${index}`, "slide", file(index)] as const),
    ),
    "docProps/core.xml": coreProperties("Show", "en"),
  }
  for (const [index, slide] of slides.entries()) {
    parts[`ppt/${file(index)}`] = `<p:sld ${xmlns}><p:cSld><p:spTree>${slide}</p:spTree></p:cSld></p:sld>`
    const note = notes[index]
    if (note === undefined) continue
    parts[`ppt/slides/_rels/slide${slides.length - index}.xml.rels`] = relationshipsOf([
      "n",
      "notesSlide",
      `../notesSlides/notes${index}.xml`,
    ])
    parts[`ppt/notesSlides/notes${index}.xml`] =
      `<p:notes ${xmlns}><p:cSld><p:spTree>${pptxShape(note, "body")}${pptxShape("1", "sldNum")}</p:spTree></p:cSld></p:notes>`
  }
  return parts
}

/** A shape with one paragraph a line; a leading tab makes it one level deeper. */
export function pptxShape(text: string, placeholder?: string): string {
  const paragraphs = text.split("\n").map((line) => {
    const level = line.length - line.trimStart().length
    return `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${line.trim()}</a:t></a:r></a:p>`
  })
  const place = placeholder ? `<p:ph type="${placeholder}"/>` : ""
  return `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr>${place}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs.join("")}</p:txBody></p:sp>`
}

/** Parts of an EPUB: its chapters by file name, in the order of the spine. */
export function epubParts(chapters: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.keys(chapters)
  const items = names.map(
    (name, index) => `<item id="c${index}" href="${encodeURI(name)}" media-type="application/xhtml+xml"/>`,
  )
  const parts: Record<string, string> = {
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    "OEBPS/book.opf": `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Dom Casmurro</dc:title><dc:language>pt</dc:language></metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${items.reverse().join("")}</manifest><spine><itemref idref="nav"/>${names.map((_, index) => `<itemref idref="c${index}"/>`).join("")}</spine></package>`,
    "OEBPS/nav.xhtml": "<html><body><nav><ol><li>Contents</li></ol></nav></body></html>",
  }
  for (const [name, chapter] of Object.entries(chapters)) {
    parts[`OEBPS/${name}`] =
      `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${chapter}</body></html>`
  }
  return parts
}

function coreProperties(title: string, language: string): string {
  return `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title><dc:language>${language}</dc:language></cp:coreProperties>`
}
