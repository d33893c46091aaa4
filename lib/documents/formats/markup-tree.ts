import { unreadable } from "./document-errors.ts"
import { type Attributes, scanMarkup } from "./scan-markup.ts"

/** An element of HTML or XML. */
export interface MarkupElement {
  /** HTML: lower case. XML: without its prefix. */
  readonly name: string
  readonly attributes: Attributes
  readonly children: (MarkupElement | string)[]
}

/** A parsed text: its root has the name `#root`. */
export interface MarkupTree {
  readonly root: MarkupElement
  /** Characters after the last element that was read; above 0 where there were more than `ELEMENTS_MAX`. */
  readonly charsLeft: number
}

/** Browsers flatten what is nested deeper than 512. Readers go through the tree by recursion, so this bounds their stack. */
const DEPTH_MAX = 256
/** A page of 10 MB with 240,000 of them takes 180 MB. */
const ELEMENTS_MAX = 500_000

const VOID = new Set(
  "area base basefont br col embed frame hr img input keygen link meta param source track wbr".split(" "),
)
/** They don't shape the text; without attributes nobody asks for them, so they are not kept. */
const FORMATTING = new Set("b big em font i s small span strike strong tt u".split(" "))
/** Start tags that end an open paragraph. */
const BLOCKS = new Set(
  (
    "address article aside blockquote center details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 " +
    "h6 header hr li main menu nav ol p pre section summary table ul"
  ).split(" "),
)
/** What a start tag ends, and at which open element the search for it stops. */
const ENDS: Readonly<Record<string, { readonly closes: ReadonlySet<string>; readonly within: ReadonlySet<string> }>> = {
  li: { closes: new Set(["li"]), within: new Set(["ul", "ol", "menu"]) },
  dt: { closes: new Set(["dt", "dd"]), within: new Set(["dl"]) },
  dd: { closes: new Set(["dt", "dd"]), within: new Set(["dl"]) },
  tr: { closes: new Set(["tr", "caption", "colgroup"]), within: new Set(["table"]) },
  td: { closes: new Set(["td", "th"]), within: new Set(["tr"]) },
  th: { closes: new Set(["td", "th"]), within: new Set(["tr"]) },
  thead: { closes: new Set(["thead", "tbody", "tfoot", "caption", "colgroup"]), within: new Set() },
  tbody: { closes: new Set(["thead", "tbody", "tfoot", "caption", "colgroup"]), within: new Set() },
  tfoot: { closes: new Set(["thead", "tbody", "tfoot", "caption", "colgroup"]), within: new Set() },
  body: { closes: new Set(["head"]), within: new Set() },
}
const PARAGRAPH = new Set(["p"])
const NOWHERE: ReadonlySet<string> = new Set()
/** A cell is a world of its own: tags in it, closing ones too, reach nothing outside, but for those of the table. */
const CELLS = new Set(["td", "th", "caption", "table"])
const TABLE_TAGS = new Set("table thead tbody tfoot tr td th caption".split(" "))

/**
 * Parses XML, or HTML leniently: omitted end tags are supplied, stray ones ignored, much as a browser does it, but in
 * linear time. HTML nested deeper than 256 is flattened; XML throws `document_unreadable`, since no writer nests so.
 */
export function parseMarkup(text: string, xml: boolean): MarkupTree {
  const builder = createBuilder(xml)
  let read = 0
  let done = false
  try {
    scanMarkup(text, xml, {
      open(name, attributes, selfClosing) {
        if (builder.isFull()) throw FULL
        builder.open(name, attributes, selfClosing)
      },
      close: builder.close,
      text(value) {
        read += value.length
        builder.text(value)
      },
    })
    done = true
  } catch (error) {
    if (error !== FULL) throw error
  }
  return { root: builder.root, charsLeft: done ? 0 : Math.max(text.length - read, 1) }
}

/** Ends a scan; never leaves this file. */
const FULL = new Error("full")

function createBuilder(xml: boolean) {
  const root: MarkupElement = { name: "#root", attributes: {}, children: [] }
  const stack = [root]
  /** How many of a name are open, so that a stray end tag costs nothing. */
  const openCounts = new Map<string, number>()
  /** Start tags over the bound, whose end tags must close nothing. */
  const flattened = new Map<string, number>()
  let elements = 0

  const top = (): MarkupElement => stack[stack.length - 1] ?? root
  const count = (map: Map<string, number>, name: string, by: number): void => {
    map.set(name, (map.get(name) ?? 0) + by)
  }
  const popTo = (depth: number): void => {
    while (stack.length > depth) {
      const element = stack.pop()
      if (element) count(openCounts, element.name, -1)
    }
  }
  /** Closes the innermost open element of `names`, unless one of `within` (or a cell) stands before it. */
  const closeInnermost = (names: ReadonlySet<string>, within: ReadonlySet<string>, outOfCells: boolean): void => {
    let isOpen = false
    for (const name of names) isOpen ||= (openCounts.get(name) ?? 0) > 0
    if (!isOpen) return
    for (let depth = stack.length - 1; depth > 0; depth--) {
      const name = stack[depth]?.name ?? ""
      if (names.has(name)) {
        popTo(depth)
        return
      }
      if (within.has(name) || (name === "table" && outOfCells) || (!outOfCells && !xml && CELLS.has(name))) return
    }
  }
  const supplyEndTags = (name: string): void => {
    if (BLOCKS.has(name)) closeInnermost(PARAGRAPH, NOWHERE, false)
    const ends = ENDS[name]
    if (ends) closeInnermost(ends.closes, ends.within, TABLE_TAGS.has(name))
  }

  /** What can't be nested any deeper. */
  const flatten = (name: string): void => {
    if (xml) throw unreadable("The file nests its elements too deeply to be read.")
    count(flattened, name, 1)
    // What is left of it: paragraphs stay apart.
    if (BLOCKS.has(name)) top().children.push({ name: "p", attributes: {}, children: [] })
  }
  // Where one of its name was kept, the end tag of one that isn't would end that one.
  const isNeedless = (name: string, attributes: Attributes): boolean =>
    !xml && FORMATTING.has(name) && isEmpty(attributes) && (openCounts.get(name) ?? 0) === 0

  const open = (name: string, attributes: Attributes, selfClosing: boolean): void => {
    if (isNeedless(name, attributes)) return
    if (!xml) supplyEndTags(name)
    elements++
    const isClosed = xml ? selfClosing : VOID.has(name) || (selfClosing && (openCounts.get("svg") ?? 0) > 0)
    if (stack.length > DEPTH_MAX && !isClosed) {
      flatten(name)
      return
    }
    const element: MarkupElement = { name, attributes, children: [] }
    top().children.push(element)
    if (isClosed) return
    stack.push(element)
    count(openCounts, name, 1)
  }
  const close = (name: string): void => {
    if (!xml && name === "br") top().children.push({ name, attributes: {}, children: [] })
    else if ((flattened.get(name) ?? 0) > 0) count(flattened, name, -1)
    else if ((openCounts.get(name) ?? 0) > 0) closeInnermost(new Set([name]), NOWHERE, !xml && TABLE_TAGS.has(name))
  }
  const text = (value: string): void => {
    const { children } = top()
    const last = children.length - 1
    const before = children[last]
    if (typeof before === "string") children[last] = before + value
    else children.push(value)
  }
  return { root, open, close, text, isFull: () => elements >= ELEMENTS_MAX }
}

function isEmpty(attributes: Attributes): boolean {
  for (const _ in attributes) return false
  return true
}

/** All text below an element, as it stands. */
export function textOf(element: MarkupElement): string {
  const parts: string[] = []
  const visit = (node: MarkupElement | string): void => {
    if (typeof node === "string") parts.push(node)
    else for (const child of node.children) visit(child)
  }
  visit(element)
  return parts.join("")
}

/** The elements of that name among the children. */
export function childrenNamed(element: MarkupElement | undefined, name: string): MarkupElement[] {
  const found: MarkupElement[] = []
  for (const child of element?.children ?? []) if (typeof child !== "string" && child.name === name) found.push(child)
  return found
}

/** The first child of that name. */
export function childNamed(element: MarkupElement | undefined, name: string): MarkupElement | undefined {
  for (const child of element?.children ?? []) if (typeof child !== "string" && child.name === name) return child
  return undefined
}

/** All elements below that are of that name, in the order of the text; not those inside one found. */
export function descendantsNamed(element: MarkupElement | undefined, name: string): MarkupElement[] {
  const found: MarkupElement[] = []
  const visit = (node: MarkupElement): void => {
    for (const child of node.children) {
      if (typeof child === "string") continue
      if (child.name === name) found.push(child)
      else visit(child)
    }
  }
  if (element) visit(element)
  return found
}
