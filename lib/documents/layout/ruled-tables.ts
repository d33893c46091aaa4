import type { Box } from "../page.ts"
import { boxAround, centreOf, cluster, countUpTo, heightOf, middleOf, widthOf } from "./boxes.ts"
import { groupBy } from "./group-by.ts"
import type { PlacedWord } from "./place-words.ts"

/** A table as its ruling lines part it: words of each cell of each row. */
export interface RuledTable {
  readonly box: Box
  readonly rows: readonly (readonly (readonly PlacedWord[])[])[]
}

/** More rules than this are a drawing; they are compared in pairs. */
const RULES_MAX = 2_000
const TABLES_MAX = 50
/** Rules that end this near to each other meet, points. */
const REACH = 3
const CELLS_MAX = 10_000
/** Cells that must hold words: fewer are a box around a text, or a form's field. */
const FILLED_MIN = 4

/** Tables with lines between their columns and rows, and the words that are left. */
export function findRuledTables(
  rules: readonly Box[],
  words: readonly PlacedWord[],
): { tables: RuledTable[]; rest: readonly PlacedWord[] } {
  const tables: RuledTable[] = []
  let rest = words
  if (rules.length > RULES_MAX) return { tables, rest }
  for (const group of touchingRules(rules.filter(isBounded))) {
    if (tables.length === TABLES_MAX) break
    const grid = gridOf(group)
    const inside = grid ? rest.filter((word) => isInside(word, grid.box)) : []
    const table = grid && fillGrid(grid, inside)
    if (!table) continue
    tables.push(table)
    rest = rest.filter((word) => !isInside(word, grid.box))
  }
  return { tables, rest }
}

function isBounded({ x0, y0, x1, y1 }: Box): boolean {
  return Math.abs(x0) + Math.abs(x1) + Math.abs(y0) + Math.abs(y1) < Infinity
}

function isInside(word: Box, box: Box): boolean {
  const x = centreOf(word)
  const y = middleOf(word)
  return x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1
}

/** Rules that meet, directly or by others, in groups. */
function touchingRules(rules: readonly Box[]): Box[][] {
  const sorted = rules.toSorted((a, b) => a.x0 - b.x0)
  const group = sorted.map((_, i) => i)
  for (const [i, a] of sorted.entries()) {
    for (let j = i + 1; j < sorted.length; j++) {
      const b = sorted[j]
      if (!b || b.x0 > a.x1 + REACH) break
      if (b.y0 <= a.y1 + REACH && a.y0 <= b.y1 + REACH) unite(group, i, j)
    }
  }
  const groups = groupBy(sorted.keys(), (i) => rootOf(group, i))
  return [...groups.values()].map((members) => members.flatMap((i) => sorted[i] ?? []))
}

function rootOf(parents: number[], index: number): number {
  let at = index
  for (let up = parents[at] ?? at; up !== at; up = parents[at] ?? at) {
    parents[at] = parents[up] ?? up
    at = up
  }
  return at
}

/** The root with the lower index stays one: of cells, the first. */
function unite(parents: number[], a: number, b: number): void {
  const [low, high] = [rootOf(parents, a), rootOf(parents, b)].sort((x, y) => x - y)
  if (low !== undefined && high !== undefined) parents[high] = low
}

interface Grid {
  readonly box: Box
  readonly rules: readonly Box[]
  /** Edges of columns and rows, ascending. */
  readonly xs: readonly number[]
  readonly ys: readonly number[]
}

function gridOf(rules: readonly Box[]): Grid | null {
  const box = boxAround(rules)
  const upright = rules.filter((rule) => heightOf(rule) > widthOf(rule))
  const level = rules.filter((rule) => heightOf(rule) <= widthOf(rule))
  const xs = cluster([...upright.map(centreOf), box.x0, box.x1], REACH)
  const ys = cluster([...level.map(middleOf), box.y0, box.y1], REACH)
  const isGrid = upright.length > 0 && level.length > 0 && xs.length > 2 && ys.length > 2
  return isGrid && xs.length * ys.length <= CELLS_MAX ? { box, rules, xs, ys } : null
}

function fillGrid(grid: Grid, words: readonly PlacedWord[]): RuledTable | null {
  const columns = grid.xs.length - 1
  const rows = grid.ys.length - 1
  const merged = mergeCells(grid, columns, rows)
  const cells: PlacedWord[][] = Array.from({ length: columns * rows }, () => [])
  for (const word of words) {
    const column = Math.min(columns, Math.max(1, countUpTo(grid.xs, centreOf(word)))) - 1
    const row = Math.min(rows, Math.max(1, countUpTo(grid.ys, middleOf(word)))) - 1
    cells[rootOf(merged, row * columns + column)]?.push(word)
  }
  const filled = cells.flatMap((cell, i) => (cell.length > 0 ? [i] : []))
  const usedRows = [...new Set(filled.map((i) => Math.floor(i / columns)))].sort((a, b) => a - b)
  const usedColumns = [...new Set(filled.map((i) => i % columns))].sort((a, b) => a - b)
  if (filled.length < FILLED_MIN || usedRows.length < 2 || usedColumns.length < 2) return null
  return {
    box: boxAround([grid.box, ...words]),
    rows: usedRows.map((row) => usedColumns.map((column) => cells[row * columns + column] ?? [])),
  }
}

/** Cells without a rule between them are one: a heading over two columns. */
function mergeCells({ rules, xs, ys }: Grid, columns: number, rows: number): number[] {
  const walls = new Set<number>()
  const floors = new Set<number>()
  for (const rule of rules) {
    if (heightOf(rule) > widthOf(rule)) {
      const edge = nearest(xs, centreOf(rule))
      for (const row of crossed(ys, rule.y0, rule.y1)) walls.add(row * columns + edge)
    } else {
      const edge = nearest(ys, middleOf(rule))
      for (const column of crossed(xs, rule.x0, rule.x1)) floors.add(edge * columns + column)
    }
  }
  const cells = Array.from({ length: columns * rows }, (_, i) => i)
  for (const cell of cells.keys()) {
    if ((cell + 1) % columns !== 0 && !walls.has(cell + 1)) unite(cells, cell, cell + 1)
    if (cell + columns < cells.length && !floors.has(cell + columns)) unite(cells, cell, cell + columns)
  }
  return cells
}

/** Indices of the stretches between edges whose middle lies from `start` to `end`. */
function* crossed(edges: readonly number[], start: number, end: number): Generator<number> {
  for (let i = 0; i + 1 < edges.length; i++) {
    const middle = ((edges[i] ?? 0) + (edges[i + 1] ?? 0)) / 2
    if (start <= middle && middle <= end) yield i
  }
}

function nearest(edges: readonly number[], value: number): number {
  const above = Math.min(edges.length - 1, countUpTo(edges, value))
  const below = Math.max(0, above - 1)
  return value - (edges[below] ?? 0) < (edges[above] ?? 0) - value ? below : above
}
