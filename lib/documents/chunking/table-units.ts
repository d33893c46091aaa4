import type { Block } from "../block.ts"
import { addSizes, childRoom, costOf, type Measure } from "./measure.ts"
import { splitBlock } from "./split-block.ts"
import { type Size, type Slice, type TableHead, type Unit, WITHIN_LEVEL } from "./unit.ts"

/** What stands over a unit: the headings that ride with it, and the path. */
export type UnitContext = Pick<Unit, "lead" | "path" | "pathCost" | "level"> & { readonly leadSize: Size }

/** Cells are apart by this in a table's text. */
const CELL_GAP = " | "
/** A head, or a column's name, of more than this share of a chunk isn't repeated: it is a row like the others. */
const HEAD_SHARE_MAX = 0.5

type Cells = readonly string[]
/** A row, or a part of one. */
type Part = Pick<Unit, "body" | "text" | "alone">

/**
 * A table row by row, below a head that every chunk of it repeats. A row that is longer than a chunk goes cell by cell,
 * under the names of those cells alone; a cell that is longer, part by part.
 */
export function* tableUnits(
  block: Block,
  index: number,
  number: number,
  context: UnitContext,
  measure: Measure,
): Generator<Unit> {
  const room = childRoom(measure, context.pathCost)
  const rows = block.table?.rows ?? []
  const headRows = repeatedRows(block, room, measure)
  const headText = rows.slice(0, headRows).map(rowText).join("\n")
  const table: TableHead = { number, text: headText, size: headRows > 0 ? measure.size(headText) : NOTHING }
  const common = { kind: "table", path: context.path, pathCost: context.pathCost, table, turns: 0 } as const
  const left = room - table.size.child - 2 * measure.separator.child
  let isFirst = true
  for (const { row, text, body } of bodyRows(rows, headRows, index)) {
    const max = Math.max(1, isFirst ? left - context.leadSize.child : left)
    const names = namesOf(rows.slice(0, headRows), row.length)
    for (const part of rowParts(text, body, { row, names, max, measure })) {
      const size = addSizes(measure.size(part.text), measure.separator)
      if (isFirst) {
        const head = headRows > 0 ? { block: index, start: 0, end: headText.length } : null
        const { lead, leadSize, level } = context
        yield { ...common, ...part, lead, size: addSizes(size, leadSize), level, head }
      } else yield { ...common, ...part, lead: [], size, level: WITHIN_LEVEL, head: null }
      isFirst = false
    }
  }
}

/** Rows below the head that hold anything, and where they stand in the table's text. */
function* bodyRows(rows: readonly Cells[], headRows: number, block: number) {
  let start = 0
  for (const [i, row] of rows.entries()) {
    const text = rowText(row)
    const body: Slice = { block, start, end: start + text.length }
    start = body.end + 1
    if (i >= headRows && row.some((cell) => cell.trim() !== "")) yield { row, text, body }
  }
}

const NOTHING: Size = { child: 0, parent: 0, chars: 0 }

function rowText(row: Cells): string {
  return row.join(CELL_GAP)
}

/** Rows of the head, none where it would fill the chunks, or is all there is. */
function repeatedRows({ table }: Block, room: number, measure: Measure): number {
  if (!table || table.headerRows === 0) return 0
  const text = table.rows.slice(0, table.headerRows).map(rowText).join("\n")
  const hasBody = table.rows.slice(table.headerRows).some((row) => row.some((cell) => cell.trim() !== ""))
  return hasBody && isShort(text, room, measure) ? table.headerRows : 0
}

/** Whether a text that is repeated leaves more than half of the chunk. */
function isShort(text: string, max: number, measure: Measure): boolean {
  return costOf(measure.size(text), max, measure) <= HEAD_SHARE_MAX * max
}

/** Name of each column: what the rows of the head say of it. */
function namesOf(head: readonly Cells[], columns: number): string[] {
  return Array.from({ length: columns }, (_, column) =>
    head
      .map((row) => row[column] ?? "")
      .filter((name) => name !== "")
      .join(" "),
  )
}

interface RowContext {
  readonly row: Cells
  readonly names: Cells
  /** What the part of a row may cost below the head. */
  readonly max: number
  readonly measure: Measure
}

function* rowParts(text: string, body: Slice, context: RowContext): Generator<Part> {
  const { row, names, max, measure } = context
  if (costOf(measure.size(text), max, measure) <= max) {
    yield { text, body, alone: false }
    return
  }
  // The whole head doesn't stand over a part, only the names of its cells.
  const limit = max + measure.size(names.join(CELL_GAP)).child
  let open: CellPart[] = []
  let cost = 0
  let start = body.start
  for (const [column, cell] of row.entries()) {
    const slice = { block: body.block, start, end: start + cell.length }
    start = slice.end + CELL_GAP.length
    if (cell.trim() === "") continue
    for (const part of cellParts(cell, slice, names[column] ?? "", limit, measure)) {
      if (open.length > 0 && cost + part.cost > limit) {
        yield joinCells(open)
        open = []
        cost = 0
      }
      open.push(part)
      cost += part.cost
    }
  }
  if (open.length > 0) yield joinCells(open)
}

interface CellPart {
  readonly name: string
  readonly text: string
  readonly slice: Slice
  readonly cost: number
}

/** A cell under its name, in parts where it is too long for one chunk. */
function* cellParts(text: string, slice: Slice, title: string, limit: number, measure: Measure): Generator<CellPart> {
  const name = isShort(title, limit, measure) ? title : ""
  const gaps = 2 * Math.max(measure.separator.child, measure.size(CELL_GAP).child)
  const nameCost = costOf(measure.size(name), limit, measure) + gaps
  const max = Math.max(1, limit - nameCost)
  for (const part of splitBlock(text, { block: slice.block, start: 0, end: text.length }, max, measure)) {
    const own = text.slice(part.start, part.end)
    const at = { block: slice.block, start: slice.start + part.start, end: slice.start + part.end }
    yield { name, text: own, slice: at, cost: costOf(measure.size(own), limit, measure) + nameCost }
  }
}

function joinCells(parts: readonly CellPart[]): Part {
  const [first] = parts
  const last = parts.at(-1)
  const names = parts.some(({ name }) => name !== "") ? `${parts.map(({ name }) => name).join(CELL_GAP)}\n` : ""
  return {
    text: names + parts.map(({ text }) => text).join(CELL_GAP),
    body: { block: first?.slice.block ?? 0, start: first?.slice.start ?? 0, end: last?.slice.end ?? 0 },
    alone: true,
  }
}
