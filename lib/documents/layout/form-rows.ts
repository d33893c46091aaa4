import type { Box } from "../page.ts"
import { heightOf, middleOf, overlapDown, widthOf } from "./boxes.ts"

/** Boxes side by side, from left to right. */
export type Row<Item extends Box> = readonly Item[]

/**
 * Boxes as rows from top to bottom: two stand in one where they share over half of the lower one's height. A row is
 * measured by its widest box, so that neither an exponent nor a tall bracket draws two lines together.
 */
export function formRows<Item extends Box>(items: readonly Item[]): Row<Item>[] {
  const rows: { anchor: Item; items: Item[] }[] = []
  for (const item of items.toSorted((a, b) => middleOf(a) - middleOf(b) || a.x0 - b.x0)) {
    const row = rows.at(-1)
    if (row && overlapDown(item, row.anchor) > 0.5 * Math.min(heightOf(item), heightOf(row.anchor))) {
      row.items.push(item)
      if (widthOf(item) > widthOf(row.anchor)) row.anchor = item
    } else rows.push({ anchor: item, items: [item] })
  }
  return rows.map((row) => row.items.sort((a, b) => a.x0 - b.x0))
}
