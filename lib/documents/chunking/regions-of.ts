import type { Region } from "../../shapes.ts"
import type { Block, PageSize } from "../block.ts"
import type { Box } from "../page.ts"
import { firstSpan } from "./cut-units.ts"
import type { Slice } from "./unit.ts"

/** Regions of a chunk, which `GivenChunk` bounds too. */
export const REGIONS_MAX = 100

/**
 * One region for each page and column in which words of these slices stand, in reading order: the box around them, 0 to
 * 1 of the page. Of more than `REGIONS_MAX`, those of a page are one.
 */
export function regionsOf(
  slices: readonly Slice[],
  blocks: readonly Block[],
  pages: ReadonlyMap<number, PageSize>,
): Region[] {
  const byColumn = unionsOf(slices, blocks, (page, column) => `${page} ${column}`)
  const unions = byColumn.size <= REGIONS_MAX ? byColumn : unionsOf(slices, blocks, String)
  return [...unions.values()].slice(0, REGIONS_MAX).flatMap(({ page, box }) => {
    const size = pages.get(page)
    return size ? [normalised(page, box, size)] : []
  })
}

interface Union {
  readonly page: number
  box: Box
}

function unionsOf(
  slices: readonly Slice[],
  blocks: readonly Block[],
  keyOf: (page: number, column: number) => string,
): Map<string, Union> {
  const unions = new Map<string, Union>()
  for (const { block, start, end } of slices) {
    const spans = blocks[block]?.spans ?? []
    for (let i = firstSpan(spans, start); i < spans.length; i++) {
      const span = spans[i]
      if (!span || span.start > end || (span.start === end && span.start < span.end)) break
      const key = keyOf(span.page, span.column)
      const union = unions.get(key)
      if (union) union.box = around(union.box, span)
      else unions.set(key, { page: span.page, box: span })
    }
  }
  return unions
}

function around(a: Box, b: Box): Box {
  return { x0: Math.min(a.x0, b.x0), y0: Math.min(a.y0, b.y0), x1: Math.max(a.x1, b.x1), y1: Math.max(a.y1, b.y1) }
}

function normalised(page: number, box: Box, { width, height }: PageSize): Region {
  return {
    page,
    x0: share(box.x0, width),
    y0: share(box.y0, height),
    x1: share(box.x1, width),
    y1: share(box.y1, height),
  }
}

/** 0 to 1, never NaN. */
function share(value: number, whole: number): number {
  const ratio = value / whole
  return ratio >= 0 ? Math.min(1, ratio) : 0
}
