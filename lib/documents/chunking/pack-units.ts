import { BLOCK_LEVEL, type Size, type Unit, WITHIN_LEVEL } from "./unit.ts"

/** What a group of units may come to. */
export interface Limit {
  /** Counts as a child, or as a parent. */
  readonly by: "child" | "parent"
  readonly max: number
  readonly charsMax: number
  /** Most changes of column or page: each takes a region. */
  readonly turnsMax: number
  /** Whether sections are joined wherever they fit, or only where one of them is tiny. */
  readonly joinsSections: boolean
}

/** A section of less than this share of the limit is tiny: alone it would be found for the wrong reasons. */
const TINY = 0.25
/** A group isn't cut back to the end of a paragraph where that leaves less than this share of what it should have. */
const CUT_BACK = 0.5
/** Level of the whole document, above all headings. */
const TOP_LEVEL = 1

/**
 * Units in groups within the limit: by sections first, then at the ends of paragraphs, then of sentences, about equally
 * large. Sections of the highest level that the document has several of (a title alone is none) are never joined unless
 * one is tiny; `inSection` says that the units are of one such section already.
 */
export function packUnits(units: readonly Unit[], limit: Limit, inSection: boolean): (readonly Unit[])[] {
  return packLevel(units, limit, TOP_LEVEL, inSection)
}

function packLevel(units: readonly Unit[], limit: Limit, level: number, inSection: boolean): (readonly Unit[])[] {
  if (units.length === 0) return []
  if (level >= BLOCK_LEVEL) return fits(sumOf(units), limit) ? [units] : packEvenly(units, limit)
  if (inSection && fits(sumOf(units), limit)) return [units]
  const sections = splitBefore(units, level)
  if (sections.length === 1) return packLevel(units, limit, level + 1, inSection)
  const joined = joinSections(sections, limit, inSection && limit.joinsSections)
  return joined.flatMap((section) => packLevel(section, limit, level + 1, true))
}

function splitBefore(units: readonly Unit[], level: number): Unit[][] {
  const sections: Unit[][] = []
  for (const unit of units) {
    const last = sections.at(-1)
    if (last && unit.level > level) last.push(unit)
    else sections.push([unit])
  }
  return sections
}

interface Sum extends Size {
  readonly turns: number
}

const EMPTY: Sum = { child: 0, parent: 0, chars: 0, turns: 0 }

function sumOf(units: readonly Unit[]): Sum {
  let sum = EMPTY
  for (const [i, unit] of units.entries()) sum = add(sum, unit, units[i - 1])
  return sum
}

/** With a unit more; the first row of a table in the group brings its head. */
function add(sum: Sum, unit: Unit, before: Unit | undefined): Sum {
  const head = unit.table && unit.table !== before?.table ? unit.table.size : EMPTY
  return {
    child: sum.child + unit.size.child + head.child,
    parent: sum.parent + unit.size.parent + head.parent,
    chars: sum.chars + unit.size.chars + head.chars,
    turns: sum.turns + unit.turns,
  }
}

function plus(a: Sum, b: Sum): Sum {
  return { child: a.child + b.child, parent: a.parent + b.parent, chars: a.chars + b.chars, turns: a.turns + b.turns }
}

function fits(sum: Sum, limit: Limit): boolean {
  return sum[limit.by] <= limit.max && sum.chars <= limit.charsMax && sum.turns <= limit.turnsMax
}

function joinSections(sections: readonly Unit[][], limit: Limit, always: boolean): (readonly Unit[])[] {
  const joined: { units: Unit[]; sum: Sum }[] = []
  const isTiny = (sum: Sum): boolean => sum[limit.by] < TINY * limit.max
  for (const units of sections) {
    const sum = sumOf(units)
    const last = joined.at(-1)
    if (last && (always || isTiny(last.sum) || isTiny(sum)) && fits(plus(last.sum, sum), limit)) {
      for (const unit of units) last.units.push(unit)
      last.sum = plus(last.sum, sum)
    } else joined.push({ units: [...units], sum })
  }
  return joined.map(({ units }) => units)
}

/** Groups of about equal size: each takes its share of what is left, as `split-text.ts` does. */
function packEvenly(units: readonly Unit[], limit: Limit): (readonly Unit[])[] {
  const groups: (readonly Unit[])[] = []
  let left = sumOf(units)[limit.by]
  const share = (): number => left / Math.max(1, Math.ceil(left / limit.max))
  let start = 0
  let sum = EMPTY
  for (let at = 0; at < units.length; ) {
    const unit = units[at]
    if (!unit) break
    const next = add(sum, unit, at > start ? units[at - 1] : undefined)
    const cost = next[limit.by] - sum[limit.by]
    if (at > start && (!fits(next, limit) || sum[limit.by] + cost / 2 > share())) {
      const end = cutBack(units, start, at, CUT_BACK * share(), limit)
      const group = units.slice(start, end)
      groups.push(group)
      left = Math.max(0, left - sumOf(group)[limit.by])
      start = end
      at = end
      sum = EMPTY
    } else {
      sum = next
      at++
    }
  }
  if (start < units.length) groups.push(units.slice(start))
  return groups
}

/** `end`, or before it the last end of a paragraph that leaves the group at least `least`. */
function cutBack(units: readonly Unit[], start: number, end: number, least: number, limit: Limit): number {
  if ((units[end]?.level ?? 0) < WITHIN_LEVEL) return end
  const sums: number[] = []
  let sum = EMPTY
  for (let i = start; i < end; i++) {
    const unit = units[i]
    if (unit) sum = add(sum, unit, i > start ? units[i - 1] : undefined)
    sums.push(sum[limit.by])
  }
  for (let i = end - 1; i > start; i--) {
    if ((sums[i - start - 1] ?? 0) < least) break
    if ((units[i]?.level ?? WITHIN_LEVEL) < WITHIN_LEVEL) return i
  }
  return end
}
