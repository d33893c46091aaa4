import { inlineText, integerOf, isUnseen } from "./html-elements.ts"
import { descendantsNamed, type MarkupElement } from "./markup-tree.ts"
import { type Grid, type GridCell, layOutGrid } from "./table-grid.ts"

/** Elements that no cell of data holds. */
const LAYOUT = new Set("table h1 h2 h3 h4 h5 h6 pre figure article section form".split(" "))
const SECTIONS = new Set(["thead", "tbody", "tfoot"])
/** A cell of data is a value or a sentence or two; columns of running text are a layout of the nineties. */
const CELL_CHARS_MAX = 4_000

/**
 * A table's cells on a grid, or null where it only arranges the page: other tables, headings or code in its cells, a single
 * column, or cells as long as a page.
 */
export function readHtmlTable(table: MarkupElement): Grid | null {
  if (["presentation", "none"].includes(table.attributes["role"] ?? "")) return null
  const rows: GridCell[][] = []
  let headRows = 0
  let columns = 0
  let longest = 0
  for (const { row, inHead } of tableRows(table)) {
    const cells = row.children.filter((child) => isCell(child)).map((cell) => readCell(cell, inHead))
    if (cells.length === 0) continue
    if (inHead && headRows === rows.length) headRows++
    rows.push(cells)
    columns = Math.max(columns, cells.length)
    for (const cell of cells) longest = Math.max(longest, cell.text.length)
  }
  if (columns < 2 || longest > CELL_CHARS_MAX || holdsLayout(table)) return null
  return layOutGrid(rows, headRows > 0 && headRows < rows.length ? headRows : null)
}

/** What a table is called. */
export function captionOf(table: MarkupElement): string {
  const caption = table.children.find((child) => typeof child !== "string" && child.name === "caption")
  return caption && typeof caption !== "string" ? inlineText(caption) : ""
}

function* tableRows(table: MarkupElement): Generator<{ row: MarkupElement; inHead: boolean }> {
  for (const child of table.children) {
    if (typeof child === "string" || isUnseen(child)) continue
    if (child.name === "tr") yield { row: child, inHead: false }
    if (!SECTIONS.has(child.name)) continue
    for (const row of child.children) {
      if (typeof row !== "string" && row.name === "tr" && !isUnseen(row)) yield { row, inHead: child.name === "thead" }
    }
  }
}

function isCell(node: MarkupElement | string): node is MarkupElement {
  return typeof node !== "string" && (node.name === "td" || node.name === "th") && !isUnseen(node)
}

function readCell(cell: MarkupElement, inHead: boolean): GridCell {
  return {
    text: inlineText(cell),
    columns: integerOf(cell.attributes["colspan"], 1, 1_000, 1),
    // 0 means to the end of the table.
    rows: integerOf(cell.attributes["rowspan"], 0, 65_534, 1) || 65_534,
    isHeader: inHead || cell.name === "th",
  }
}

function holdsLayout(table: MarkupElement): boolean {
  for (const child of table.children) {
    if (typeof child === "string") continue
    if (LAYOUT.has(child.name) || holdsLayout(child)) return true
  }
  return false
}

/** Pictures in cells, whose alternative texts are in the cells' text. */
export function picturesWithoutText(table: MarkupElement): number {
  return descendantsNamed(table, "img").filter(({ attributes }) => attributes["alt"] === undefined).length
}
