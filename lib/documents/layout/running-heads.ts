import type { Box } from "../page.ts"
import { boxAround, heightOf, overlapDown } from "./boxes.ts"
import { formRows } from "./form-rows.ts"
import { groupBy } from "./group-by.ts"
import type { Fragment } from "./join-fragments.ts"

/** Share of the page's height, at the top and at the bottom, in which heads and feet stand. */
const ZONE = 0.2
/** Rows of a page, from its edge, that may be of a head or a foot. */
const ROWS_MAX = 3
/** Points by which the same head may stand higher or lower. */
const SHIFT_MAX = 3
/** Pages that must have it; in short documents so great a share, but two at least. */
const PAGES_MIN = 3
const PAGES_SHARE = 0.3
/** Where so many of the rows at one place are repeated, the others there are heads too: of chapters of one page. */
const PLACE_SHARE = 0.6
const PLACE_PAGES_MIN = 5
const TEXT_MAX = 200
/** Rows of a table are this near to each other, in heights. */
const TABLE_GAP = 1.5

/** What joins a page's fragments to be compared with those of other pages. */
export interface PageFragments {
  readonly height: number
  readonly fragments: readonly Fragment[]
}

interface EdgeRow {
  readonly page: number
  readonly y: number
  readonly text: string
  readonly size: number
  readonly items: readonly Fragment[]
  repeated: boolean
}

/**
 * Fragments of each page without its running head and foot: rows near the edge whose text, digits masked, stands at the
 * same height on several pages. The only text of a page is never dropped.
 */
export function dropRunningHeads(pages: readonly PageFragments[]): (readonly Fragment[])[] {
  const rows = pages.flatMap((page, i) => edgeRows(page, i))
  const needed = Math.min(PAGES_MIN, Math.max(2, Math.ceil(PAGES_SHARE * pages.length)))
  for (const same of groupBy(rows, (row) => row.text).values()) {
    for (const near of nearGroups(same)) {
      if (countPages(near) >= needed) for (const row of near) row.repeated = true
    }
  }
  for (const near of nearGroups(rows)) markPlace(near)
  const dropped = new Set(rows.filter((row) => row.repeated).flatMap((row) => row.items))
  return pages.map(({ fragments }) => {
    const kept = fragments.filter((fragment) => !dropped.has(fragment))
    return kept.length > 0 ? kept : fragments
  })
}

function edgeRows({ height, fragments }: PageFragments, page: number): EdgeRow[] {
  const inZone = ({ y0, y1 }: Box): boolean => y1 <= ZONE * height || y0 >= (1 - ZONE) * height
  const rows = formRows(fragments.filter((fragment) => fragment.table === null && inZone(fragment)))
  const below = rows.findIndex((row) => boxAround(row).y0 > height / 2)
  const top = below < 0 ? rows : rows.slice(0, below)
  const bottom = below < 0 ? [] : rows.slice(below)
  const heads = top.slice(0, ROWS_MAX).filter((row, i) => !areOfTable(row, top[i + 1]))
  const feet = bottom.slice(-ROWS_MAX).filter((row) => !areOfTable(row, bottom[bottom.indexOf(row) - 1]))
  return [...heads, ...feet].map((items) => ({
    page,
    y: boxAround(items).y0,
    text: maskText(items),
    size: Math.round(items[0]?.words[0]?.fontSize ?? 0),
    items,
    repeated: false,
  }))
}

/** Whether two cells at least of a row begin where those of the next row do, close by: the head of a table repeats too. */
function areOfTable(row: readonly Fragment[], next: readonly Fragment[] | undefined): boolean {
  if (!next || row.length < 2 || next.length < 2) return false
  const [box, other] = [boxAround(row), boxAround(next)]
  if (-overlapDown(box, other) > TABLE_GAP * heightOf(box)) return false
  const aligned = row.filter(({ x0 }) => next.some((cell) => Math.abs(cell.x0 - x0) <= SHIFT_MAX))
  return aligned.length >= 2
}

/** Its text with numbers masked, roman ones too where they begin or end it. */
function maskText(items: readonly Fragment[]): string {
  const words = items.flatMap((item) => item.words.map((word) => word.text))
  for (const at of [0, words.length - 1]) if (/^[ivxlc]{1,8}$/i.test(words[at] ?? "")) words[at] = "#"
  return words.join(" ").slice(0, TEXT_MAX).replace(/\d+/g, "#")
}

/** Rows at the same height, by groups. */
function nearGroups(rows: readonly EdgeRow[]): EdgeRow[][] {
  const groups: EdgeRow[][] = []
  for (const row of rows.toSorted((a, b) => a.y - b.y)) {
    const group = groups.at(-1)
    if (group?.[0] && row.y - group[0].y <= SHIFT_MAX) group.push(row)
    else groups.push([row])
  }
  return groups
}

function countPages(rows: readonly EdgeRow[]): number {
  return new Set(rows.map((row) => row.page)).size
}

function markPlace(near: readonly EdgeRow[]): void {
  for (const rows of groupBy(near, (row) => row.size).values()) {
    const repeated = rows.filter((row) => row.repeated).length
    if (countPages(rows) < PLACE_PAGES_MIN || repeated < PLACE_SHARE * rows.length) continue
    for (const row of rows) row.repeated = true
  }
}
