import type { ReadDocument } from "../block.ts"
import { createBlockWriter, oneLine } from "./block-writer.ts"
import { decodeText } from "./decode-text.ts"
import { writeHtml } from "./html-blocks.ts"
import { isPageChrome, isUnseen } from "./html-elements.ts"
import { childNamed, descendantsNamed, type MarkupElement, parseMarkup, textOf } from "./markup-tree.ts"

/** Where browsers look for a declared encoding, and a bit more. */
const PRESCAN_BYTES = 4_096
/** The main part is the content where it holds at least this share of the page's text. */
const MAIN_SHARE_MIN = 0.2

/** Reads a page of HTML or XHTML: its main part, without navigation, scripts and what is hidden. */
export function readHtml(bytes: Uint8Array): ReadDocument {
  const { root, charsLeft } = parseMarkup(decodeText(bytes, declaredEncoding(bytes)), isXhtml(bytes))
  const writer = createBlockWriter()
  if (charsLeft > 0) writer.leaveOut("characters past the end of what is read", charsLeft)
  const main = mainContent(root)
  writeHtml(main, writer, { keepsPageChrome: main !== root })
  // A page that is all head, foot and margin still is what its uploader wants to find.
  if (writer.count() === 0) writeHtml(root, writer, { keepsPageChrome: true })
  return writer.finish({ title: titleOf(root), language: languageOf(root) })
}

function declaredEncoding(bytes: Uint8Array): string | null {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN_BYTES))
  const found =
    /<\?xml[^>]{0,200}?encoding=["']([\w.:-]{1,40})/.exec(head) ??
    /<meta[^>]{0,500}?charset=\s*["']?([\w.:-]{1,40})/i.exec(head)
  return found?.[1] ?? null
}

/** Only where it says so itself: `<title/>` ends an XHTML title, and in HTML begins one that never ends. */
function isXhtml(bytes: Uint8Array): boolean {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN_BYTES))
  return /^\W{0,3}<\?xml\s/.test(head) && /<html[^>]{0,500}xmlns=/.test(head)
}

/** `main`, or the page's only articles, where they hold most of it; else everything. */
function mainContent(root: MarkupElement): MarkupElement {
  const total = visibleChars(root)
  for (const candidates of [elementsThat(root, isMain), elementsThat(root, ({ name }) => name === "article")]) {
    const chars = candidates.reduce((sum, element) => sum + visibleChars(element), 0)
    if (candidates.length > 0 && chars >= total * MAIN_SHARE_MIN) {
      // Titles often stand in the page's head; one that the main part lacks is taken along.
      const hasTitle = candidates.some((element) => descendantsNamed(element, "h1").length > 0)
      const titles = hasTitle ? [] : elementsThat(root, ({ name }) => name === "h1").slice(0, 1)
      return { name: "#root", attributes: {}, children: [...titles, ...candidates] }
    }
  }
  return root
}

function isMain({ name, attributes }: MarkupElement): boolean {
  return name === "main" || attributes["role"] === "main"
}

/** The outermost elements that fulfil it, of those that are seen. */
function elementsThat(root: MarkupElement, fulfils: (element: MarkupElement) => boolean): MarkupElement[] {
  const found: MarkupElement[] = []
  const visit = (element: MarkupElement): void => {
    for (const child of element.children) {
      if (typeof child === "string" || isUnseen(child)) continue
      if (fulfils(child)) found.push(child)
      else visit(child)
    }
  }
  visit(root)
  return found
}

function visibleChars(element: MarkupElement): number {
  let chars = 0
  for (const child of element.children) {
    if (typeof child === "string") chars += child.trim().length
    else if (!isUnseen(child) && !isPageChrome(child)) chars += visibleChars(child)
  }
  return chars
}

/** `<title>`, else what the page calls itself where it is shared. */
export function titleOf(root: MarkupElement): string | null {
  const title = firstNamed(root, "title")
  const text = title ? oneLine(textOf(title)) : ""
  if (text !== "") return text
  const shared = descendantsNamed(root, "meta").find(({ attributes }) => attributes["property"] === "og:title")
  return shared?.attributes["content"] ?? null
}

/** The first of that name outside pictures, which have titles of their own. */
function firstNamed(element: MarkupElement, name: string): MarkupElement | undefined {
  for (const child of element.children) {
    if (typeof child === "string" || child.name === "svg") continue
    const found = child.name === name ? child : firstNamed(child, name)
    if (found) return found
  }
  return undefined
}

/** As `<html>` declares it, else as the server was asked to. */
export function languageOf(root: MarkupElement): string | null {
  const html = childNamed(root, "html")
  const declared = html?.attributes["lang"] || html?.attributes["xml:lang"]
  if (declared) return declared
  const meta = descendantsNamed(root, "meta").find(
    ({ attributes }) => attributes["http-equiv"]?.toLowerCase() === "content-language",
  )
  return meta?.attributes["content"] ?? null
}
