import type { ReadDocument } from "../block.ts"
import { type BlockWriter, createBlockWriter, oneLine } from "./block-writer.ts"
import { decodeText } from "./decode-text.ts"
import { encrypted, unreadable } from "./document-errors.ts"
import { writeHtml } from "./html-blocks.ts"
import { childNamed, childrenNamed, descendantsNamed, type MarkupElement, parseMarkup, textOf } from "./markup-tree.ts"
import { readXmlPart, resolvePath } from "./office-package.ts"
import { type Archive, openArchive } from "./open-archive.ts"

const CHAPTER_TYPES = new Set(["application/xhtml+xml", "text/html", "application/x-dtbook+xml"])
/** Fonts are scrambled in many books that anybody may read. */
const FONT_SCRAMBLING = new Set(["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"])
const CHAPTERS_MAX = 5_000

/** Reads an EPUB 2 or 3: the chapters of its spine, in that order, without its tables of contents. */
export function readEpub(bytes: Uint8Array): ReadDocument {
  const archive = openArchive(bytes)
  const container = readXmlPart(archive, "META-INF/container.xml")
  const path = descendantsNamed(container ?? undefined, "rootfile")[0]?.attributes["full-path"] ?? ""
  const book = readXmlPart(archive, path)
  if (!book) throw unreadable("The file is no EPUB: it names no package.")
  const chapters = chapterPaths(book, path)
  refuseProtected(archive, new Set(chapters))
  const writer = createBlockWriter()
  for (const chapter of chapters.slice(0, CHAPTERS_MAX)) writeChapter(archive, chapter, writer)
  writer.leaveOut("chapters past the end of what is read", chapters.length - CHAPTERS_MAX)
  const metadata = childNamed(book, "metadata")
  // EPUB 2 may wrap them once more.
  const field = (name: string): string | null => {
    const element = descendantsNamed(metadata, name)[0]
    return element ? oneLine(textOf(element)) : null
  }
  return writer.finish({ title: field("title"), language: field("language") })
}

/** Paths of the spine, but for the table of contents where it is one of them. */
function chapterPaths(book: MarkupElement, path: string): string[] {
  const items = new Map<string, MarkupElement>()
  for (const item of childrenNamed(childNamed(book, "manifest"), "item")) items.set(item.attributes["id"] ?? "", item)
  const paths = new Set<string>()
  for (const { attributes } of childrenNamed(childNamed(book, "spine"), "itemref")) {
    const item = items.get(attributes["idref"] ?? "")?.attributes
    if (!item || !CHAPTER_TYPES.has(item["media-type"] ?? "")) continue
    if (!/(?:^|\s)nav(?:\s|$)/.test(item["properties"] ?? ""))
      paths.add(resolvePath(path, decodePath(item["href"] ?? "")))
  }
  return [...paths]
}

function decodePath(href: string): string {
  const [path = ""] = href.split("#")
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function writeChapter(archive: Archive, path: string, writer: BlockWriter): void {
  const part = archive.read(path)
  if (!part) {
    writer.leaveOut("chapters that the file names but doesn't hold")
    return
  }
  const { root, charsLeft } = parseMarkup(decodeText(part), true)
  const html = root.children.find((child): child is MarkupElement => typeof child !== "string" && child.name === "html")
  if (charsLeft > 0) writer.leaveOut("characters past the end of what is read", charsLeft)
  writeHtml(html ? withoutHead(html) : root, writer, { keepsPageChrome: true })
}

function withoutHead(html: MarkupElement): MarkupElement {
  return { ...html, children: html.children.filter((child) => typeof child !== "string" && child.name !== "head") }
}

/** Throws `document_encrypted` where a chapter is encrypted, or all of it by a scheme that hides how. */
function refuseProtected(archive: Archive, chapters: ReadonlySet<string>): void {
  const encryption = readXmlPart(archive, "META-INF/encryption.xml")
  for (const data of descendantsNamed(encryption ?? undefined, "EncryptedData")) {
    const algorithm = descendantsNamed(data, "EncryptionMethod")[0]?.attributes["Algorithm"] ?? ""
    const uri = descendantsNamed(data, "CipherReference")[0]?.attributes["URI"] ?? ""
    if (!FONT_SCRAMBLING.has(algorithm) && chapters.has(resolvePath("", decodePath(uri)))) throw encrypted()
  }
}
