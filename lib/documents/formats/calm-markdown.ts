import { fenceAfter } from "./split-markdown.ts"

/** Marks of one paragraph or item. One with 40 linked pictures has 400; micromark takes 135 s for 40,000. */
const MARKS_MAX = 600
const MARKS = /[*_~`[\]<>()|&:@!\\]/g
/** Lines of one paragraph; micromark takes 84 s for 30,000 within quotes. */
const LINES_MAX = 50
/** Lists and quotes within one another, and their indentation: all of them are gone through at each line. */
const NESTING_MAX = 12
const INDENT_MAX = 40
const NESTED = new RegExp(`^((?:[ \\t]{0,8}(?:>|[-*+](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))){${NESTING_MAX}})[ \\t>*+-]+`)
const STARTS_UNIT = /^\s*(?:$|#{1,6}\s|[-*+>]\s|\d{1,9}[.)]\s|\|)/
/** Where marks are put meanwhile: the last plane of private use, of which no font or author makes use. */
const HIDING_PLACE = 0x10ff00

/** A text that a Markdown parser reads in good time. */
export interface CalmMarkdown {
  readonly text: string
  /** Paragraphs whose marks were hidden from the parser. */
  readonly tangled: number
}

/**
 * Hides the marks of paragraphs that have more of them than any author writes, so that the parser takes them for letters;
 * `restoreMarks` brings them back. Cuts off nesting that nobody reads.
 */
export function calmMarkdown(text: string): CalmMarkdown {
  const lines = text.split("\n")
  let fence: string | null = null
  let unitStart = 0
  let marks = 0
  let tangled = 0
  const endUnit = (end: number): void => {
    if (marks > MARKS_MAX) {
      tangled++
      for (let index = unitStart; index < end; index++) lines[index] = hideMarks(lines[index] ?? "")
    }
    unitStart = end
    marks = 0
  }
  for (const [index, line] of lines.entries()) {
    const wasCode = fence !== null
    fence = fenceAfter(fence, line)
    if (wasCode || fence !== null) {
      endUnit(index)
      unitStart = index + 1
      continue
    }
    const isLong = index - unitStart >= LINES_MAX
    if (isLong || STARTS_UNIT.test(line)) endUnit(index)
    const bounded = boundNesting(line)
    lines[index] = (isLong ? "\n" : "") + bounded
    marks += bounded.match(MARKS)?.length ?? 0
  }
  endUnit(lines.length)
  return { text: lines.join("\n"), tangled }
}

function boundNesting(line: string): string {
  const indent = line.length - line.trimStart().length
  return (indent > INDENT_MAX ? line.slice(indent - INDENT_MAX) : line).replace(NESTED, "$1 ")
}

function hideMarks(line: string): string {
  return line.replace(MARKS, (mark) => String.fromCodePoint(HIDING_PLACE + mark.charCodeAt(0)))
}

/** Marks that were hidden, as they were written. */
export function restoreMarks(text: string): string {
  return text.replace(/[\u{10FF00}-\u{10FF7F}]/gu, (hidden) =>
    String.fromCharCode((hidden.codePointAt(0) ?? HIDING_PLACE) - HIDING_PLACE),
  )
}
