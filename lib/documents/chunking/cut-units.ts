import type { Block } from "../block.ts"
import { addSizes, childRoom, costOf, type Measure } from "./measure.ts"
import { splitBlock } from "./split-block.ts"
import { tableUnits, type UnitContext } from "./table-units.ts"
import { BLOCK_LEVEL, type Size, type Slice, type Unit, WITHIN_LEVEL } from "./unit.ts"

/** Headings may take this share of a chunk before they are chunks of their own. */
const LEAD_SHARE_MAX = 0.5
const NOTHING: Size = { child: 0, parent: 0, chars: 0 }

/** Headings that wait for the text under them. */
interface Lead {
  readonly slices: readonly Slice[]
  readonly size: Size
  readonly level: number
}

const NO_LEAD: Lead = { slices: [], size: NOTHING, level: BLOCK_LEVEL }

/**
 * The blocks as units in reading order: headings ride with the text under them; what is longer than a chunk is cut at
 * its sentences, a table between its rows. Figures without words are left out: there is nothing to find them by. A
 * generator, so that the caller may pause: counting tokens is most of the work.
 */
export function* cutUnits(blocks: readonly Block[], measure: Measure): Generator<Unit> {
  let trail: Trail = { headings: [], path: [], pathCost: 0 }
  let lead = NO_LEAD
  let tables = 0
  let column = -1
  for (const [index, block] of blocks.entries()) {
    if (block.kind === "table") tables++
    if (block.text.trim() === "") continue
    if (block.kind === "heading") {
      const own = headingLead(block, index, measure)
      if (!canRide(addSizes(lead.size, own.size), trail, measure)) {
        yield* headingUnits(blocks, lead, trail, measure)
        lead = NO_LEAD
      }
      trail = enter(trail, block, measure)
      lead = joinLeads(lead, own)
      if (canRide(lead.size, trail, measure)) continue
      yield* headingUnits(blocks, lead, trail, measure)
    } else {
      const context = { ...trail, lead: lead.slices, leadSize: lead.size, level: lead.level }
      for (const unit of blockUnits(block, index, tables, context, measure)) {
        const [turns, last] = countTurns(block, unit.body, column)
        column = last
        yield { ...unit, turns }
      }
    }
    lead = NO_LEAD
  }
  yield* headingUnits(blocks, lead, trail, measure)
}

/** Headings over where the reading is. */
interface Trail {
  readonly headings: readonly Block[]
  readonly path: readonly string[]
  readonly pathCost: number
}

function enter({ headings }: Trail, block: Block, measure: Measure): Trail {
  const over = [...headings.filter(({ level }) => level < block.level), block]
  const path = over.map(({ text }) => text)
  return { headings: over, path, pathCost: Math.min(measure.pathCost(path), LEAD_SHARE_MAX * measure.childMax) }
}

function canRide(size: Size, { pathCost }: Trail, measure: Measure): boolean {
  const room = childRoom(measure, pathCost)
  return costOf(size, room, measure) <= LEAD_SHARE_MAX * room
}

function headingLead(block: Block, index: number, measure: Measure): Lead {
  const size = addSizes(measure.size(block.text), measure.separator)
  return { slices: [{ block: index, start: 0, end: block.text.length }], size, level: block.level }
}

function joinLeads(a: Lead, b: Lead): Lead {
  return { slices: [...a.slices, ...b.slices], size: addSizes(a.size, b.size), level: Math.min(a.level, b.level) }
}

function blockUnits(block: Block, index: number, table: number, context: UnitContext, measure: Measure) {
  return block.table ? tableUnits(block, index, table, context, measure) : textUnits(block, index, context, measure)
}

/** Headings with no text under them, or too long to ride. */
function* headingUnits(
  blocks: readonly Block[],
  lead: Lead,
  { path, pathCost }: Trail,
  measure: Measure,
): Generator<Unit> {
  for (const [i, slice] of lead.slices.entries()) {
    const block = blocks[slice.block]
    if (!block) continue
    const level = i === 0 ? lead.level : Math.max(lead.level, block.level)
    const context = { lead: [], leadSize: NOTHING, level, path, pathCost }
    for (const unit of textUnits(block, slice.block, context, measure)) yield { ...unit, turns: 1 }
  }
}

function* textUnits(block: Block, index: number, context: UnitContext, measure: Measure): Generator<Unit> {
  const all = { block: index, start: 0, end: block.text.length }
  const room = childRoom(measure, context.pathCost) - context.leadSize.child - measure.separator.child
  let isFirst = true
  for (const body of splitBlock(block.text, all, Math.max(1, room), measure)) {
    const text = block.text.slice(body.start, body.end)
    const own = addSizes(measure.size(text), measure.separator)
    yield {
      kind: block.kind,
      lead: isFirst ? context.lead : [],
      body: isFirst ? { ...body, start: 0 } : body,
      text,
      size: isFirst ? addSizes(own, context.leadSize) : own,
      level: isFirst ? context.level : WITHIN_LEVEL,
      path: context.path,
      pathCost: context.pathCost,
      table: null,
      head: null,
      alone: block.kind === "figure",
      turns: 0,
    }
    isFirst = false
  }
}

/** How often the column changes in these words, and the last of them. */
function countTurns({ spans }: Block, slice: Slice, before: number): [turns: number, column: number] {
  let column = before
  let turns = 0
  for (let i = firstSpan(spans, slice.start); i < spans.length; i++) {
    const span = spans[i]
    if (!span || span.start >= slice.end) break
    if (span.column !== column) turns++
    column = span.column
  }
  return [turns, column]
}

/** Index of the first span that ends after `start`, or has no length there. */
export function firstSpan(spans: Block["spans"], start: number): number {
  let low = 0
  let high = spans.length
  while (low < high) {
    const mid = (low + high) >> 1
    const span = spans[mid]
    if (span && span.end <= start && !(span.start === span.end && span.start === start)) low = mid + 1
    else high = mid
  }
  return low
}
