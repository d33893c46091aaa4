import type { ReadDocument } from "../block.ts"
import { type BlockWriter, createBlockWriter, oneLine } from "./block-writer.ts"
import { unreadable } from "./document-errors.ts"
import { drawingLines, writePicture } from "./drawing-text.ts"
import { integerOf } from "./html-elements.ts"
import { childNamed, childrenNamed, descendantsNamed, type MarkupElement } from "./markup-tree.ts"
import {
  mainPart,
  openOfficePackage,
  prefixedAttribute,
  readCoreProperties,
  readRelationships,
  readXmlPart,
} from "./office-package.ts"
import type { Archive } from "./open-archive.ts"
import { type GridCell, layOutGrid } from "./table-grid.ts"

const TITLES = new Set(["title", "ctrTitle"])
/** What the master puts on every slide. */
const RUNNING = new Set(["dt", "ftr", "sldNum", "hdr"])

/**
 * Reads a PPTX: slides in the order of the show, each with its title as heading (`Slide 3` without one), its text frames,
 * tables and pictures in the order of the file, which is also that of screen readers, and the speaker's notes.
 */
export function readPptx(bytes: Uint8Array): ReadDocument {
  const archive = openOfficePackage(bytes)
  const part = mainPart(archive, "ppt/presentation.xml")
  const presentation = readXmlPart(archive, part)
  if (!presentation) throw unreadable("The file is no PPTX: it has no presentation part.")
  const relationships = readRelationships(archive, part)
  const writer = createBlockWriter()
  const slides = childrenNamed(childNamed(presentation, "sldIdLst"), "sldId")
  let textBlocks = 0
  for (const [index, slide] of slides.entries()) {
    const target = relationships.get(prefixedAttribute(slide, "id") ?? "")?.target ?? ""
    textBlocks += readSlide(archive, target, index + 1, writer)
  }
  // Headings without a slide's own words would make every empty presentation one with text.
  if (textBlocks === 0) throw unreadable("The file holds no text.")
  return writer.finish(readCoreProperties(archive))
}

/** Says how many blocks the slide has words for. */
function readSlide(archive: Archive, part: string, number: number, writer: BlockWriter): number {
  const tree = childNamed(childNamed(readXmlPart(archive, part) ?? undefined, "cSld"), "spTree")
  if (!tree) {
    writer.leaveOut("slides that can't be read")
    return 0
  }
  const title = descendantsNamed(tree, "sp").find((shape) => TITLES.has(placeholderOf(shape)))
  const titleBody = title && childNamed(title, "txBody")
  const words = titleBody ? oneLine(drawingLines(titleBody)) : ""
  writer.heading(1, words || `Slide ${number}`)
  const before = writer.count()
  writeShapes(tree, title, writer)
  const relationships = [...readRelationships(archive, part).values()]
  for (const { type, target } of relationships) {
    if (type === "notesSlide") writeNotes(readXmlPart(archive, target), writer)
    if (type === "comments" && archive.has(target)) writer.leaveOut("comments", countComments(archive, target))
  }
  return writer.count() - before + (words === "" ? 0 : 1)
}

function writeShapes(tree: MarkupElement, title: MarkupElement | undefined, writer: BlockWriter): void {
  for (const shape of tree.children) if (typeof shape !== "string" && shape !== title) writeShape(shape, title, writer)
}

function writeShape(shape: MarkupElement, title: MarkupElement | undefined, writer: BlockWriter): void {
  switch (shape.name) {
    case "sp":
    case "cxnSp": {
      const body = childNamed(shape, "txBody")
      if (body && !RUNNING.has(placeholderOf(shape))) writer.text(drawingLines(body))
      return
    }
    case "pic":
      writePicture(shape, writer)
      return
    case "grpSp":
      writeShapes(shape, title, writer)
      return
    case "graphicFrame":
      writeFrame(shape, writer)
      return
    case "AlternateContent": {
      // The same twice: for programs that know a newer way, and for those that don't.
      const choice = childNamed(shape, "Choice") ?? childNamed(shape, "Fallback")
      if (choice) writeShapes(choice, title, writer)
      return
    }
    default:
  }
}

/** A table; all else in a frame (charts, diagrams, embedded files) has at most its alternative text. */
function writeFrame(frame: MarkupElement, writer: BlockWriter): void {
  const table = descendantsNamed(frame, "tbl")[0]
  if (!table) {
    const described = descendantsNamed(frame, "cNvPr")[0]?.attributes["descr"]
    if (described) writer.figure(described)
    writer.leaveOut("embedded objects, charts or diagrams")
    return
  }
  const rows = childrenNamed(table, "tr").map((row) => childrenNamed(row, "tc").filter(isOwnCell).map(readCell))
  const firstRow = childNamed(table, "tblPr")?.attributes["firstRow"] === "1"
  const grid = layOutGrid(rows, firstRow && rows.length > 1 ? 1 : null)
  writer.leaveOut("rows of tables", grid.rowsLeft)
  writer.table(grid.rows, grid.headerRows)
}

/** Places that a merged cell covers have cells too, marked as such. */
function isOwnCell({ attributes }: MarkupElement): boolean {
  return attributes["hMerge"] !== "1" && attributes["vMerge"] !== "1"
}

function readCell(cell: MarkupElement): GridCell {
  const body = childNamed(cell, "txBody")
  return {
    text: body ? oneLine(drawingLines(body)) : "",
    columns: integerOf(cell.attributes["gridSpan"], 1, 1_000, 1),
    rows: integerOf(cell.attributes["rowSpan"], 1, 10_000, 1),
    isHeader: false,
  }
}

function writeNotes(notes: MarkupElement | null, writer: BlockWriter): void {
  for (const shape of descendantsNamed(notes ?? undefined, "sp")) {
    const body = childNamed(shape, "txBody")
    if (body && placeholderOf(shape) === "body") writer.text(drawingLines(body))
  }
}

/** What a shape is a place for: `title`, `body`, `ftr`…; nothing where it is none. */
function placeholderOf(shape: MarkupElement): string {
  const placeholder = descendantsNamed(childNamed(shape, "nvSpPr"), "ph")[0]
  return placeholder ? (placeholder.attributes["type"] ?? "obj") : ""
}

function countComments(archive: Archive, part: string): number {
  return descendantsNamed(readXmlPart(archive, part) ?? undefined, "cm").length
}
