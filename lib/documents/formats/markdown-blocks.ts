import type { List, Nodes, Parent, PhrasingContent, RootContent, Table } from "mdast"
import { type BlockWriter, oneLine } from "./block-writer.ts"
import { PICTURES_LEFT, writeHtml } from "./html-blocks.ts"
import { createListLines, type ListLines } from "./html-lists.ts"
import { parseMarkup, textOf } from "./markup-tree.ts"
import { labelKey } from "./split-markdown.ts"

interface Output {
  readonly writer: BlockWriter
  readonly lists: ListLines
  readonly labels: ReadonlySet<string>
}

/**
 * Writes Markdown as blocks: HTML in it as a page of HTML would be, footnotes where they are defined. Links to `labels`
 * are known though their definitions aren't among the nodes.
 */
export function writeMarkdown(nodes: readonly RootContent[], labels: ReadonlySet<string>, writer: BlockWriter): void {
  writeNodes(nodes, { writer, labels, lists: createListLines(writer) })
}

function writeNodes(nodes: readonly RootContent[], output: Output): void {
  const { writer, lists } = output
  // Where Markdown stands between two tags, each is a node of its own; what follows one another is read as one.
  let html = ""
  const flushHtml = (): void => {
    if (html === "") return
    lists.write()
    writeHtml(parseMarkup(html, false).root, writer, { keepsPageChrome: true })
    html = ""
  }
  for (const node of nodes) {
    if (node.type === "html") {
      html += `${node.value}\n`
      continue
    }
    flushHtml()
    writeNode(node, output)
  }
  flushHtml()
}

function writeNode(node: RootContent, output: Output): void {
  const { writer, lists, labels } = output
  switch (node.type) {
    case "heading":
      lists.write()
      writer.heading(node.depth, phrase(node.children, labels, null))
      return
    case "paragraph":
      writeParagraph(node.children, output)
      return
    case "code":
      lists.write()
      writer.preformatted(node.value)
      return
    case "list":
      writeList(node, output)
      return
    case "table":
      lists.write()
      writeTable(node, output)
      return
    case "blockquote":
      writeNodes(node.children, output)
      return
    case "footnoteDefinition":
      lists.write()
      for (const child of node.children) {
        const first = child === node.children[0] && child.type === "paragraph"
        if (first) writer.text(`[${node.label ?? node.identifier}] ${phrase(child.children, labels, null)}`)
        else writeNode(child, output)
      }
      return
    default:
  }
}

function writeParagraph(children: readonly PhrasingContent[], { writer, lists, labels }: Output): void {
  const pictures: string[] = []
  let unnamed = 0
  const text = phrase(children, labels, (alternative) => {
    if (alternative === "") unnamed++
    else pictures.push(alternative)
  })
  if (text !== "" && !lists.add(text)) writer.text(text)
  if (pictures.length > 0) lists.write()
  for (const picture of pictures) writer.figure(picture)
  writer.leaveOut(PICTURES_LEFT, unnamed)
}

function writeList(list: List, output: Output): void {
  const { lists } = output
  lists.open(list.ordered === true, list.start ?? 1)
  for (const item of list.children) {
    lists.item()
    if (typeof item.checked === "boolean") {
      const [first, ...rest] = item.children
      const box = item.checked ? "[x] " : "[ ] "
      if (first?.type === "paragraph") {
        writeParagraph([{ type: "text", value: box }, ...first.children], output)
        writeNodes(rest, output)
        continue
      }
    }
    writeNodes(item.children, output)
  }
  lists.close()
}

function writeTable(table: Table, { writer, labels }: Output): void {
  const rows = table.children.map((row) => row.children.map((cell) => phrase(cell.children, labels, null)))
  writer.table(rows, 1)
}

/**
 * The text of a paragraph: line breaks of its author stay, those of the file are spaces. Pictures go to `onPicture`; without
 * one, their alternative texts stand in the text.
 */
function phrase(
  children: readonly PhrasingContent[],
  labels: ReadonlySet<string>,
  onPicture: ((alternative: string) => void) | null,
): string {
  const parts: string[] = []
  const visit = (node: Nodes): void => {
    if (node.type === "text" || node.type === "inlineCode") parts.push(node.value.replace(/\s+/g, " "))
    else if (node.type === "break") parts.push("\n")
    else if (node.type === "image" || node.type === "imageReference") {
      if (onPicture) onPicture(oneLine(node.alt ?? ""))
      else parts.push(node.alt ?? "")
    } else if (node.type === "html") parts.push(inlineHtml(node.value, onPicture))
    else if (node.type === "footnoteReference") parts.push(`[${node.label ?? node.identifier}]`)
    else if ("children" in node) for (const child of (node as Parent).children) visit(child)
  }
  for (const child of children) visit(child)
  return withoutLabels(parts.join(""), labels)
    .split("\n")
    .map((line) => oneLine(line))
    .join("\n")
    .trim()
}

/** `[words][label]`, `[label][]` and `[label]` as a reader sees them: the words. */
function withoutLabels(text: string, labels: ReadonlySet<string>): string {
  if (labels.size === 0 || !text.includes("]")) return text
  return text.replace(/!?\[([^[\]]{0,400})\](?:\[([^[\]]{0,200})\])?/g, (written, words: string, label?: string) =>
    labels.has(labelKey(label || words)) ? words : written,
  )
}

/** A tag within a paragraph: what it shows itself, since its content comes as nodes of their own. */
function inlineHtml(html: string, onPicture: ((alternative: string) => void) | null): string {
  const { root } = parseMarkup(html, false)
  const [element] = root.children
  if (element === undefined || typeof element === "string") return textOf(root)
  if (element.name === "br") return "\n"
  if (element.name !== "img") return ""
  const alternative = element.attributes["alt"] ?? ""
  if (!onPicture) return alternative
  onPicture(oneLine(alternative))
  return ""
}
