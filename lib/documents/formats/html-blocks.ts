import type { BlockWriter } from "./block-writer.ts"
import { alternativeText, inlineText, integerOf, isPageChrome, isUnseen, mathText } from "./html-elements.ts"
import { createHtmlFlow, type HtmlFlow } from "./html-flow.ts"
import { captionOf, picturesWithoutText, readHtmlTable } from "./html-table.ts"
import { descendantsNamed, type MarkupElement } from "./markup-tree.ts"

export const PICTURES_LEFT = "pictures without alternative text"

const BLOCKS = new Set(
  (
    "address article aside blockquote body caption center details div dl fieldset figcaption figure footer form header " +
    "hgroup hr html legend main p section summary table tbody td tfoot th thead tr #root"
  ).split(" "),
)
/** Pictures of a line's height are characters of it. */
const ICON_PIXELS_MAX = 32

/** How a tree is read. */
export interface HtmlOptions {
  /** Whether heads, feet and margins of the page are content. */
  readonly keepsPageChrome: boolean
}

/** A tree on its way into blocks. */
interface Reading {
  readonly flow: HtmlFlow
  readonly writer: BlockWriter
  keepsPageChrome: boolean
}

type Handler = (element: MarkupElement, reading: Reading) => void

/** What is done with elements of a name; all others are read through. */
const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["br", (_, { flow }) => flow.inline("\n")],
  ["math", (element, { flow }) => flow.inline(mathText(element))],
  ["pre", (element, { flow, writer }) => flow.block(() => writer.preformatted(preText(element)))],
  ["li", readItem],
  ["dt", (element, { flow }) => flow.term(inlineText(element))],
  ["dd", readDefinition],
  ["table", readTable],
  ["figure", readFigure],
  ["article", readArticle],
  ["main", readArticle],
  ...["ul", "ol", "menu", "dir"].map((name): [string, Handler] => [name, readList]),
  ...[1, 2, 3, 4, 5, 6].map((level): [string, Handler] => [
    `h${level}`,
    (element, { flow, writer }) => flow.block(() => writer.heading(level, inlineText(element))),
  ]),
])

/** Writes what a reader sees of a tree, block by block. */
export function writeHtml(root: MarkupElement, writer: BlockWriter, { keepsPageChrome }: HtmlOptions): void {
  const flow = createHtmlFlow(writer)
  readThrough(root, { flow, writer, keepsPageChrome })
  flow.end()
}

function readThrough(element: MarkupElement, reading: Reading): void {
  for (const child of element.children) {
    if (typeof child === "string") reading.flow.inline(child.replace(/\s+/g, " "))
    else readElement(child, reading)
  }
}

function readElement(element: MarkupElement, reading: Reading): void {
  if (element.name === "img" || element.name === "svg") readPicture(element, reading)
  else if (isUnseen(element)) return
  else if (!reading.keepsPageChrome && isPageChrome(element)) readPageChrome(element, reading)
  else {
    const handler = HANDLERS.get(element.name)
    if (handler) handler(element, reading)
    else if (BLOCKS.has(element.name)) readBlock(element, reading)
    else readThrough(element, reading)
  }
}

function readBlock(element: MarkupElement, reading: Reading): void {
  reading.flow.flush()
  readThrough(element, reading)
  reading.flow.flush()
}

/** Many pages have their only title in the head of the page. */
function readPageChrome(element: MarkupElement, reading: Reading): void {
  reading.flow.flush()
  for (const heading of descendantsNamed(element, "h1")) readElement(heading, reading)
}

/** Inside an article, head and foot are the article's. */
function readArticle(element: MarkupElement, reading: Reading): void {
  readBlock(element, { ...reading, keepsPageChrome: true })
}

function readPicture(element: MarkupElement, { flow, writer }: Reading): void {
  const text = alternativeText(element)
  if (text === null) writer.leaveOut(PICTURES_LEFT)
  else if (isIcon(element, text)) flow.inline(text)
  else if (text !== "") flow.picture(text)
}

function readList(element: MarkupElement, reading: Reading): void {
  const { flow } = reading
  flow.flush()
  flow.lists.open(element.name === "ol", integerOf(element.attributes["start"], -1_000_000, 1_000_000, 1))
  readThrough(element, reading)
  flow.flush()
  flow.lists.close()
}

function readItem(element: MarkupElement, reading: Reading): void {
  reading.flow.flush()
  reading.flow.lists.item(element.attributes["value"])
  readThrough(element, reading)
  reading.flow.flush()
}

function readDefinition(element: MarkupElement, reading: Reading): void {
  reading.flow.definition()
  readThrough(element, reading)
  reading.flow.flush()
}

function readTable(element: MarkupElement, reading: Reading): void {
  const grid = readHtmlTable(element)
  if (!grid) {
    readBlock(element, reading)
    return
  }
  const { writer } = reading
  reading.flow.block(() => {
    writer.text(captionOf(element))
    writer.table(grid.rows, grid.headerRows)
    writer.leaveOut("rows of tables", grid.rowsLeft)
    writer.leaveOut(PICTURES_LEFT, picturesWithoutText(element))
  })
}

/** A figure of pictures and a caption is one block; one of code, a table or paragraphs is read through. */
function readFigure(element: MarkupElement, reading: Reading): void {
  const pictures = [...descendantsNamed(element, "img"), ...descendantsNamed(element, "svg")]
  const holdsMore = ["table", "pre", "p", "ul", "ol", "figure"].some(
    (name) => descendantsNamed(element, name).length > 0,
  )
  if (pictures.length === 0 || holdsMore) {
    readBlock(element, reading)
    return
  }
  const { writer, flow } = reading
  const caption = descendantsNamed(element, "figcaption").map(inlineText).join("\n")
  const texts = new Set(pictures.map(alternativeText).filter((text) => text !== null && !caption.includes(text)))
  flow.block(() => {
    if (texts.size > 0 || caption !== "") writer.figure([...texts, caption].join("\n"))
    else writer.leaveOut(PICTURES_LEFT)
  })
}

function isIcon(element: MarkupElement, text: string): boolean {
  const { width, height, class: classes } = element.attributes
  const size = Math.max(integerOf(width, 0, 10_000, 0), integerOf(height, 0, 10_000, 0))
  return text.length <= 2 || (size > 0 && size <= ICON_PIXELS_MAX) || /\b(?:emoji|math)\b/.test(classes ?? "")
}

function preText(element: MarkupElement): string {
  const parts: string[] = []
  const visit = (node: MarkupElement | string): void => {
    if (typeof node === "string") parts.push(node)
    else if (node.name === "br") parts.push("\n")
    else if (!isUnseen(node)) for (const child of node.children) visit(child)
  }
  for (const child of element.children) visit(child)
  return parts.join("")
}
