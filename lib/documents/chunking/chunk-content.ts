import type { Block } from "../block.ts"
import type { Slice, Unit } from "./unit.ts"

/** Text of units in a row: blocks with an empty line between them, a table's rows below its head. */
export function contentOf(units: readonly Unit[], blocks: readonly Block[]): string {
  let content = ""
  for (const [i, unit] of units.entries()) {
    const before = units[i - 1]
    for (const slice of unit.lead) content += gap(content) + textOf(slice, blocks).trim()
    const goesOn = before !== undefined && unit.lead.length === 0
    if (unit.alone || !unit.table) content += goesOn ? between(before, unit, blocks) : gap(content)
    else if (goesOn && before.table === unit.table && !before.alone) content += "\n"
    else content += gap(content) + (unit.table.text === "" ? "" : `${unit.table.text}\n`)
    content += unit.text
  }
  return content
}

/** Everything of the document's text that the units hold, for their regions. */
export function slicesOf(units: readonly Unit[]): Slice[] {
  return units.flatMap((unit) => [...unit.lead, ...(unit.head ? [unit.head] : []), unit.body])
}

/** The end of units of text, at most so many characters, from the start of a word: for the overlap of the next chunk. */
export function tailOf(units: readonly Unit[], blocks: readonly Block[], charsMax: number): Slice[] {
  const tail: Slice[] = []
  let left = charsMax
  const slices = units.flatMap((unit) => [...unit.lead, unit.body])
  for (const slice of slices.reverse()) {
    const text = textOf(slice, blocks)
    if (text.length <= left) {
      tail.unshift(slice)
      left -= text.length + 2
      if (left <= 0) break
      continue
    }
    // The next word that begins within what is left.
    const cut = text.length - left
    const space = /\s(?=\S)/g
    space.lastIndex = cut - 1
    const found = space.exec(text)
    if (found) tail.unshift({ ...slice, start: slice.start + found.index + 1 })
    break
  }
  return tail
}

/** Slices as text, in the way of `contentOf`. */
export function joinSlices(slices: readonly Slice[], blocks: readonly Block[]): string {
  let text = ""
  for (const [i, slice] of slices.entries()) {
    const before = slices[i - 1]
    if (before) text += before.block === slice.block ? whiteSpace(before.end, slice, blocks) : "\n\n"
    text += textOf(slice, blocks).trim()
  }
  return text
}

function textOf({ block, start, end }: Slice, blocks: readonly Block[]): string {
  return blocks[block]?.text.slice(start, end) ?? ""
}

/** What a block has between two of its units: a space or a line break; between blocks an empty line. */
function between(before: Unit, unit: Unit, blocks: readonly Block[]): string {
  const isSame = before.body.block === unit.body.block && !unit.alone && !before.alone
  return isSame ? whiteSpace(before.body.end, unit.body, blocks) : "\n\n"
}

function whiteSpace(end: number, next: Slice, blocks: readonly Block[]): string {
  const text = blocks[next.block]?.text.slice(end, next.start) ?? ""
  if (text === "") return ""
  return text.includes("\n") ? "\n" : " "
}

function gap(content: string): string {
  return content === "" ? "" : "\n\n"
}
