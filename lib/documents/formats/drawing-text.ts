import type { BlockWriter } from "./block-writer.ts"
import { oneLine } from "./block-writer.ts"
import { PICTURES_LEFT } from "./html-blocks.ts"
import { childNamed, childrenNamed, descendantsNamed, type MarkupElement, textOf } from "./markup-tree.ts"

/** Text of a DrawingML paragraph (`a:p`): its runs, fields and line breaks. */
function drawingParagraph(paragraph: MarkupElement): string {
  const parts: string[] = []
  for (const child of paragraph.children) {
    if (typeof child === "string") continue
    if (child.name === "br") parts.push("\n")
    if (child.name === "r" || child.name === "fld")
      for (const text of childrenNamed(child, "t")) parts.push(textOf(text))
  }
  return parts
    .join("")
    .replace(/[\t ]+/g, " ")
    .trim()
}

/** Lines of a text frame (`txBody`): one a paragraph, those of a lower level as items two spaces deeper each. */
export function drawingLines(body: MarkupElement): string {
  const lines: string[] = []
  for (const paragraph of childrenNamed(body, "p")) {
    const text = drawingParagraph(paragraph)
    if (text === "") continue
    const level = Math.min(Number(childNamed(paragraph, "pPr")?.attributes["lvl"] ?? 0) || 0, 8)
    const indent = "  ".repeat(Math.max(0, level - 1))
    lines.push(level > 0 ? `${indent}- ${text.replaceAll("\n", " ")}` : text)
  }
  return lines.join("\n")
}

/** A picture by what its author says that it shows. */
export function writePicture(picture: MarkupElement, writer: BlockWriter): void {
  const properties = descendantsNamed(picture, "cNvPr")[0]?.attributes
  const text = oneLine(properties?.["descr"] || properties?.["title"] || "")
  if (text === "") writer.leaveOut(PICTURES_LEFT)
  else writer.figure(text)
}
