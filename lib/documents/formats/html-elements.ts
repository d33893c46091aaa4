import { oneLine } from "./block-writer.ts"
import { childNamed, descendantsNamed, type MarkupElement, textOf } from "./markup-tree.ts"

const UNSEEN = new Set(
  (
    "applet area audio base button canvas col colgroup datalist dialog embed frame frameset iframe input link map meta " +
    "noembed noframes noscript object optgroup option output param progress rp script select source style template " +
    "textarea title track video"
  ).split(" "),
)
const CHROME_ROLES = new Set("navigation search menu menubar toolbar alert dialog alertdialog".split(" "))
const PAGE_CHROME_ROLES = new Set("banner contentinfo complementary".split(" "))
/** Link signs at headings and line numbers, as Sphinx, MediaWiki and Rouge write them: part of no text. */
const SIGNS = /(?:^|\s)(?:headerlink|anchorlink|mw-editsection|linenos?|lineno|sr-only|visually-hidden|noprint)(?:\s|$)/
const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i
/** What says how a page hangs together, and nothing of its own. */
const PAGE_CHROME = new Set(["header", "footer", "aside"])

/** Whether nobody who reads the page sees it: scripts, form controls, what is hidden; or it is for moving about: `nav`. */
export function isUnseen(element: MarkupElement): boolean {
  const { name, attributes } = element
  return (
    UNSEEN.has(name) ||
    name === "nav" ||
    attributes["hidden"] !== undefined ||
    attributes["aria-hidden"] === "true" ||
    CHROME_ROLES.has(attributes["role"] ?? "") ||
    SIGNS.test(attributes["class"] ?? "") ||
    (name === "a" && isLinkSign(element)) ||
    HIDDEN_STYLE.test(attributes["style"] ?? "")
  )
}

/** A link to the very heading that it stands in. */
function isLinkSign({ children }: MarkupElement): boolean {
  const [only] = children
  return children.length === 1 && typeof only === "string" && /^\s*[#¶§🔗]\s*$/u.test(only)
}

/** Head, foot and margin of a page, where they stand outside an article: the same on each page of a site. */
export function isPageChrome(element: MarkupElement): boolean {
  return PAGE_CHROME.has(element.name) || PAGE_CHROME_ROLES.has(element.attributes["role"] ?? "")
}

/** The text of an element in one line, with the alternative texts of its pictures, without what is unseen. */
export function inlineText(element: MarkupElement): string {
  const parts: string[] = []
  const visit = (node: MarkupElement | string): void => {
    if (typeof node === "string") parts.push(node)
    else if (node.name === "img") parts.push(node.attributes["alt"] ?? "")
    else if (node.name === "math") parts.push(mathText(node))
    else if (!isUnseen(node) && node.name !== "svg") {
      const apart = APART.has(node.name) ? " " : ""
      parts.push(apart)
      for (const child of node.children) visit(child)
      parts.push(apart)
    }
  }
  for (const child of element.children) visit(child)
  return oneLine(parts.join(""))
}

const APART = new Set("br dd div dt h1 h2 h3 h4 h5 h6 hr li p pre td th tr".split(" "))

/** A formula as its author wrote it in TeX, else its symbols. */
export function mathText(element: MarkupElement): string {
  const written = element.attributes["alttext"]
  if (written) return written
  const source = descendantsNamed(element, "annotation").find(({ attributes }) =>
    /tex/i.test(attributes["encoding"] ?? ""),
  )
  return oneLine(textOf(source ?? element))
}

/** What stands for a picture: its alternative text, null where it has none; an empty one says that it is decoration. */
export function alternativeText(element: MarkupElement): string | null {
  const label = element.attributes["aria-label"] ?? element.attributes["alt"]
  if (label !== undefined) return oneLine(label)
  if (element.name === "svg") {
    const title = childNamed(element, "title") ?? childNamed(element, "desc")
    return title ? oneLine(textOf(title)) : ""
  }
  const title = element.attributes["title"]
  return title ? oneLine(title) : null
}

/** Number of an attribute within bounds; `fallback` where it holds none. */
export function integerOf(value: string | undefined, min: number, max: number, fallback: number): number {
  const number = Number.parseInt(value ?? "", 10)
  return Number.isNaN(number) ? fallback : Math.min(max, Math.max(min, number))
}
