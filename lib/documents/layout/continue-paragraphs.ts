import type { Draft, TextDraft } from "./draft.ts"
import { linesOf } from "./draft.ts"
import type { HeadingLevels } from "./find-headings.ts"
import type { Line } from "./lines.ts"

/** Drafts that may stand between the halves: a figure, its caption, footnotes. */
const BETWEEN_MAX = 4
/** Columns that one paragraph may run through, so that its regions stay few. */
const COLUMNS_MAX = 40
const ENDS_SENTENCE = /[.!?:;…]["'”’»)\]]*$/u
/** A last line this near to the edge of its column goes on, in ems. */
const FULL_WITHIN = 2

/**
 * Joins paragraphs that a column or page break cut in two: the first doesn't end a sentence, and the second begins with
 * a small letter, or the first one's last line is full and nothing else speaks against it. What stands between them
 * comes after.
 */
export function continueParagraphs(drafts: readonly Draft[], headings: HeadingLevels, bodySize: number): Draft[] {
  const result: Draft[] = []
  /** Index into `result` of the paragraph that may go on. */
  let open = -1
  const columns = new Map<number, number>()
  for (const draft of drafts) {
    const first = result[open]
    const near = open >= 0 && result.length - open <= BETWEEN_MAX + 1
    if (headings.has(draft)) {
      result.push(draft)
      open = -1
      continue
    }
    if (draft.kind === "text" && first?.kind === "text" && near && goesOn(first, draft)) {
      const count = (columns.get(open) ?? 1) + 1
      if (count <= COLUMNS_MAX) {
        result[open] = joined(first, draft)
        columns.set(open, count)
        continue
      }
    }
    result.push(draft)
    // Footnotes, captions and the like are smaller: the body goes on after them.
    if (draft.kind === "text" && (linesOf(draft)[0]?.fontSize ?? 0) >= bodySize - 0.5) open = result.length - 1
  }
  return result
}

function joined(first: TextDraft, second: TextDraft): TextDraft {
  const last = first.parts.at(-1) ?? []
  return { ...first, parts: [...first.parts.slice(0, -1), [...last, ...linesOf(second)]] }
}

function goesOn(first: TextDraft, second: TextDraft): boolean {
  if (first.form === "code" || second.form !== "paragraph") return false
  const lines = first.parts.at(-1) ?? []
  const [end, start] = [lines.at(-1), linesOf(second)[0]]
  if (!end || !start || (end.page === start.page && end.column === start.column)) return false
  if (Math.abs(end.fontSize - start.fontSize) > 0.5 || end.bold !== start.bold) return false
  const lastWord = end.words.at(-1)
  const firstWord = start.words[0]?.text ?? ""
  if (!lastWord || ENDS_SENTENCE.test(lastWord.text)) return false
  if (/^["'“‘(«[]?\p{Ll}/u.test(firstWord)) return true
  return isFull(lines, end) && !isIndented(linesOf(second)) && !end.bold
}

/** Whether the last line reaches as far as the others of its paragraph. */
function isFull(lines: readonly Line[], end: Line): boolean {
  const same = lines.filter((line) => line.page === end.page && line.column === end.column)
  const right = same.reduce((most, line) => Math.max(most, line.x1), -Infinity)
  return same.length > 1 && end.x1 > right - FULL_WITHIN * end.fontSize
}

function isIndented(lines: readonly Line[]): boolean {
  const [first, second] = lines
  return !first || !second || first.x0 > second.x0 + 0.5 * first.fontSize
}
