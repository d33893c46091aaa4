import type { ReadDocument } from "../block.ts"
import { type BlockWriter, createBlockWriter, FLOW_LIMITS } from "./block-writer.ts"
import { tooLarge, unreadable } from "./document-errors.ts"
import { drawingLines, writePicture } from "./drawing-text.ts"
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
import { scanMarkup } from "./scan-markup.ts"
import { detectHeader } from "./table-grid.ts"
import { type CellStyles, readCellStyles } from "./xlsx-cells.ts"
import { readSheet, type Sheet } from "./xlsx-sheet.ts"

const STRINGS_MAX = 2_000_000

/**
 * Reads an XLSX: each sheet's name as heading, its cells as one table with the values that were last calculated, in the
 * order of the workbook. Dates come as `2024-03-05`, percentages and truth values as they are shown; empty rows and columns
 * are dropped, rows with one cell over the table stand before it as text.
 *
 * Not by read-excel-file: it refuses a workbook for one cell with a style that isn't there, reads merged cells and errors
 * as empty, and a file of 1 kB with a cell in the last column and row makes it fill 17 thousand million cells.
 */
export function readXlsx(bytes: Uint8Array): ReadDocument {
  const archive = openOfficePackage(bytes)
  const part = mainPart(archive, "xl/workbook.xml")
  const workbook = readXmlPart(archive, part)
  if (!workbook) throw unreadable("The file is no XLSX: it has no workbook.")
  const relationships = readRelationships(archive, part)
  const pathOf = (type: string, fallback: string): string =>
    [...relationships.values()].find((relationship) => relationship.type === type)?.target ?? fallback
  const strings = readSharedStrings(archive, pathOf("sharedStrings", "xl/sharedStrings.xml"))
  const is1904 = ["1", "true"].includes(childNamed(workbook, "workbookPr")?.attributes["date1904"] ?? "")
  const styles = readCellStyles(readXmlPart(archive, pathOf("styles", "xl/styles.xml")), is1904)
  const writer = createBlockWriter()
  let textBlocks = 0
  for (const sheet of childrenNamed(childNamed(workbook, "sheets"), "sheet")) {
    const relationship = relationships.get(prefixedAttribute(sheet, "id") ?? "")
    if (relationship?.type === "chartsheet") writer.leaveOut("charts")
    else
      textBlocks += writeSheet(
        archive,
        relationship?.target ?? "",
        sheet.attributes["name"] ?? "",
        { strings, styles },
        writer,
      )
  }
  // A workbook of empty sheets has names and nothing else.
  if (textBlocks === 0) throw unreadable("The file holds no text.")
  return writer.finish(readCoreProperties(archive))
}

interface Workbook {
  readonly strings: readonly string[]
  readonly styles: CellStyles
}

/** Says how many blocks the sheet has besides its name. */
function writeSheet(
  archive: Archive,
  path: string,
  name: string,
  { strings, styles }: Workbook,
  writer: BlockWriter,
): number {
  const text = archive.readText(path)
  if (text === null) {
    writer.leaveOut("sheets that can't be read")
    return 0
  }
  const sheet = readSheet(text, strings, styles)
  const relationships = [...readRelationships(archive, path).values()]
  const drawings = relationships
    .filter(({ type }) => type === "drawing")
    .map(({ target }) => readXmlPart(archive, target))
  if (sheet.rows.length > 0 || drawings.length > 0) writer.heading(1, name)
  const before = writer.count()
  writeCells(sheet, writer)
  for (const drawing of drawings) writeDrawing(drawing, writer)
  for (const { type, target } of relationships) {
    if (type === "comments")
      writer.leaveOut("comments", descendantsNamed(readXmlPart(archive, target) ?? undefined, "comment").length)
  }
  return writer.count() - before
}

function writeCells(sheet: Sheet, writer: BlockWriter): void {
  writer.leaveOut("rows of tables", sheet.rowsLeft)
  writer.leaveOut("formulas that were never calculated", sheet.formulasWithoutValue)
  const used = [...new Set(sheet.rows.flatMap((row) => [...row.keys()]))].sort((a, b) => a - b)
  const columns = used.slice(0, FLOW_LIMITS.columnsMax)
  writer.leaveOut("columns of tables", used.length - columns.length)
  let first = 0
  while (columns.length > 1 && first < sheet.rows.length - 1 && sheet.rows[first]?.size === 1) {
    writer.text([...(sheet.rows[first]?.values() ?? [])].join(" "))
    first++
  }
  // So many rows that filling them up stays within the bound; the writer counts over all sheets.
  const height = Math.min(sheet.rows.length - first, Math.floor(FLOW_LIMITS.cellsMax / Math.max(1, columns.length)))
  const rows = sheet.rows.slice(first, first + height).map((row) => columns.map((column) => row.get(column) ?? ""))
  writer.leaveOut("rows of tables", sheet.rows.length - first - height)
  writer.table(rows, detectHeader(rows, true))
}

/** Text boxes and pictures that lie on a sheet. */
function writeDrawing(drawing: MarkupElement | null, writer: BlockWriter): void {
  for (const body of descendantsNamed(drawing ?? undefined, "txBody")) writer.text(drawingLines(body))
  for (const picture of descendantsNamed(drawing ?? undefined, "pic")) writePicture(picture, writer)
  writer.leaveOut("charts", descendantsNamed(drawing ?? undefined, "chart").length)
}

/** Texts that cells name by number: all runs of each, but for the reading aids of Japanese (`rPh`). */
function readSharedStrings(archive: Archive, path: string): string[] {
  const text = archive.readText(path)
  const strings: string[] = []
  let parts: string[] = []
  let isText = false
  let isAid = false
  if (text === null) return strings
  scanMarkup(text, true, {
    open(name, _, selfClosing) {
      if (name === "si") parts = []
      if (name === "rPh") isAid = !selfClosing
      if (name === "t") isText = !selfClosing
      if (name === "si" && selfClosing) strings.push("")
    },
    close(name) {
      if (name === "t") isText = false
      if (name === "rPh") isAid = false
      if (name === "si") strings.push(parts.join(""))
      if (strings.length > STRINGS_MAX) throw tooLarge("The workbook has more different texts than are read.")
    },
    text(value) {
      if (isText && !isAid) parts.push(value)
    },
  })
  return strings
}
