import { splitText } from "../split-text.ts"
import { costOf, type Measure } from "./measure.ts"
import { type Slice, UNIT_CHARS_MAX } from "./unit.ts"

/** Text given to the splitter at once, characters: a tenth of a second's work at the most, between two pauses. */
const RUN_CHARS = 20_000

/**
 * The text from `start` to `end` of a block in slices that each cost at most `max` as a child and fit into a parent;
 * white space between them is dropped. A generator, so that the caller may pause between runs of a long text.
 */
export function* splitBlock(text: string, slice: Slice, max: number, measure: Measure): Generator<Slice> {
  const limit = Math.max(1, Math.min(max, measure.childMax))
  const cost = (part: string): number => costOf(measure.size(part), limit, measure)
  for (let from = slice.start; from < slice.end; ) {
    const to = runEnd(text, from, slice.end)
    let at = from
    for (const part of splitText(text.slice(from, to), limit, UNIT_CHARS_MAX, cost)) {
      const trimmed = part.trim()
      if (trimmed === "") continue
      const start = text.indexOf(trimmed, at)
      at = start + trimmed.length
      yield { block: slice.block, start, end: at }
    }
    from = to
  }
}

/** End of a run: after the last line break in its second half, else after the last space, else anywhere but in a pair. */
function runEnd(text: string, from: number, end: number): number {
  if (end - from <= RUN_CHARS) return end
  const limit = from + RUN_CHARS
  for (const mark of ["\n", " "]) {
    const at = text.lastIndexOf(mark, limit)
    if (at > from + RUN_CHARS / 2) return at + 1
  }
  return (text.charCodeAt(limit) & 0xfc00) === 0xdc00 ? limit + 1 : limit
}
