import mammoth from "mammoth"
import type { ReadDocument } from "../block.ts"
import { createBlockWriter } from "./block-writer.ts"
import { tooLarge, unreadable } from "./document-errors.ts"
import { headingStyles } from "./docx-headings.ts"
import { writeHtml } from "./html-blocks.ts"
import { childrenNamed, parseMarkup } from "./markup-tree.ts"
import { mainPart, openOfficePackage, readCoreProperties, readRelationships, readXmlPart } from "./office-package.ts"
import type { Archive } from "./open-archive.ts"
import { scanMarkup } from "./scan-markup.ts"

/** mammoth goes through elements by recursion; at 2,000 its stack ends, and Word nests 60 at most. */
const DEPTH_MAX = 256
/** mammoth holds a document in three trees at once: 243 MB and 4 s for 20,000 paragraphs, a text part of 9 MB. */
const TEXT_CHARS_MAX = 24 << 20

const OBJECTS = new Set(["object", "chart", "relIds", "altChunk"])

/** Reads a DOCX: what Word shows but for headers, footers and comments; footnotes at the end. */
export async function readDocx(bytes: Uint8Array): Promise<ReadDocument> {
  const archive = openOfficePackage(bytes)
  const part = mainPart(archive, "word/document.xml")
  const text = archive.readText(part)
  if (text === null) throw unreadable("The file is no DOCX: it has no text part.")
  const writer = createBlockWriter()
  const seen = lookOver(text)
  writer.leaveOut("embedded objects, charts or diagrams", seen.objects)
  for (const { type, target } of readRelationships(archive, part).values()) {
    if (type === "comments")
      writer.leaveOut("comments", childrenNamed(readXmlPart(archive, target) ?? undefined, "comment").length)
  }
  const styles = headingStyles(readXmlPart(archive, "word/styles.xml"))
  const { value } = await mammoth.convertToHtml(asMammothFile(archive), {
    includeEmbeddedStyleMap: false,
    externalFileAccess: false,
    styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
    // Only its alternative text is asked for, so that no picture is unpacked.
    convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })),
    transformDocument: (element: DocxElement) => withHeadings(element, styles),
  })
  writeHtml(parseMarkup(withoutBackLinks(value), false).root, writer, { keepsPageChrome: true })
  return writer.finish(readCoreProperties(archive))
}

/** A part of mammoth's own document tree, as far as it is changed here. */
interface DocxElement {
  readonly type: string
  readonly styleId?: string | null
  readonly styleName?: string | null
  readonly children?: readonly DocxElement[]
}

/** mammoth reads headings by their names alone; here also those based on them, and tables of contents go. */
function withHeadings(element: DocxElement, styles: ReadonlyMap<string, number>): DocxElement {
  const children = element.children
    ?.filter((child) => !isContentsLine(child))
    .map((child) => withHeadings(child, styles))
  const level = element.type === "paragraph" && element.styleId ? styles.get(element.styleId) : undefined
  return {
    ...element,
    ...(children ? { children } : {}),
    ...(level ? { styleId: `Heading${level}`, styleName: `heading ${level}`, numbering: null } : {}),
  }
}

/** A line of the table of contents repeats a heading. */
function isContentsLine({ type, styleName }: DocxElement): boolean {
  return type === "paragraph" && /^toc \d$/i.test(styleName ?? "")
}

/** How mammoth gets at parts without its own ZIP reader, which inflates whatever it is given. */
function asMammothFile(archive: Archive): { buffer: Buffer } {
  const file = {
    exists: archive.has,
    read: async (name: string, encoding?: string) => (encoding ? archive.readText(name) : archive.read(name)),
  }
  // Its types leave out that it takes an opened file (`unzip.js`).
  return { file } as unknown as { buffer: Buffer }
}

/** Bounds the depth, and counts what mammoth passes over. */
function lookOver(text: string): { objects: number } {
  if (text.length > TEXT_CHARS_MAX) throw tooLarge("The document's text part is larger than 24 MiB.")
  let depth = 0
  let objects = 0
  scanMarkup(text, true, {
    open(name, _, selfClosing) {
      if (OBJECTS.has(name)) objects++
      if (!selfClosing && ++depth > DEPTH_MAX) throw unreadable("The file nests its elements too deeply to be read.")
    },
    close: () => void depth--,
    text: () => undefined,
  })
  return { objects }
}

function withoutBackLinks(html: string): string {
  return html.replace(/ ?<a href="#[^"]{0,100}-ref-[^"]{0,100}">↑<\/a>/g, "")
}
