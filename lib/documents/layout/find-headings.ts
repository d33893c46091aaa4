import { type Draft, linesOf, type TextDraft } from "./draft.ts"
import type { Line } from "./lines.ts"

/** What most letters of a document look like. */
export interface BodyStyle {
  /** Points. */
  readonly size: number
  readonly bold: boolean
}

/** Level 1 is the highest, 6 the lowest. */
export type HeadingLevels = ReadonlyMap<Draft, number>

const LEVELS_MAX = 6
/** Larger than the body's letters by this much, a short text is a heading; the authors of a paper have 1.1. */
const SIZE_RATIO = 1.15
const LINES_MAX = 3
const LETTERS_MAX = 200
/** A heading no larger than the body is shorter than this. */
const BOLD_LETTERS_MAX = 120
/** A bold line no larger than the body that stands there so often is a label: `Note`, `Tip`. */
const LABEL_TIMES = 4
const CAPTION = /^(?:fig|tab|abb|quadro|figura|tabela|listing)\w*\.?\s*\d/iu
const NUMBERED = /^(?:\d{1,3}(?:\.\d{1,3})*)\.?(?=\s+["'“‘«(]?\p{Lu})/u
/** A line of a list of contents: dots that lead to a page number, or a number at both ends. */
const CONTENTS = /(?:\.\s?){4,}|^\d[\d.]*\s.*\s\d{1,4}$/
const NUMBERED_DEEP = /^\d{1,3}(?:\.\d{1,3})+\.?\s+["'“‘«(]?\p{Lu}/u

/** The font size and weight of most letters. */
export function bodyStyle(drafts: readonly Draft[]): BodyStyle {
  const sizes = new Map<number, number>()
  let [bold, all] = [0, 0]
  for (const draft of drafts) {
    if (draft.kind !== "text") continue
    for (const line of linesOf(draft)) {
      const letters = line.words.reduce((sum, word) => sum + word.text.length, 0)
      sizes.set(line.fontSize, (sizes.get(line.fontSize) ?? 0) + letters)
      all += letters
      if (line.bold) bold += letters
    }
  }
  const [size] = [...sizes].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0])
  return { size, bold: bold * 2 > all }
}

/**
 * Headings by their letters: larger than the body's, or bold where the body isn't, or numbered as `2.1`. Their styles,
 * the largest first, are the levels; numbers, which say it better, decide among numbered ones.
 */
export function findHeadings(drafts: readonly Draft[], body: BodyStyle): HeadingLevels {
  const headings = withoutLabels(
    drafts.filter((draft) => draft.kind === "text").filter((draft) => isHeading(draft, body)),
    body,
  )
  const styles = [...new Set(headings.map(styleOf))].sort((a, b) => b - a)
  const levels = new Map<Draft, number>()
  for (const heading of headings) levels.set(heading, levelIn(styles, styleOf(heading)))
  const numbered = headings.flatMap((heading) => {
    const [number] = NUMBERED.exec(textOf(heading)) ?? []
    return number ? [{ heading, depth: number.split(".").filter(Boolean).length }] : []
  })
  const base = numbered.reduce((least, { heading, depth }) => {
    const level = (levels.get(heading) ?? 1) - depth + 1
    return depth === 1 ? Math.min(least, level) : least
  }, Infinity)
  for (const { heading, depth } of numbered) {
    if (base < Infinity) levels.set(heading, Math.min(LEVELS_MAX, Math.max(1, base + depth - 1)))
  }
  return levels
}

function withoutLabels(headings: readonly TextDraft[], body: BodyStyle): TextDraft[] {
  const times = new Map<string, number>()
  for (const text of headings.map(textOf)) times.set(text, (times.get(text) ?? 0) + 1)
  return headings.filter(
    (heading) =>
      (linesOf(heading)[0]?.fontSize ?? 0) >= SIZE_RATIO * body.size || (times.get(textOf(heading)) ?? 0) < LABEL_TIMES,
  )
}

function levelIn(styles: readonly number[], style: number): number {
  return Math.min(LEVELS_MAX, styles.indexOf(style) + 1)
}

/** Its size, and a little more where it is bold: a number that orders styles. */
function styleOf(draft: TextDraft): number {
  const [line] = linesOf(draft)
  return line ? line.fontSize + (line.bold ? 0.25 : 0) : 0
}

function textOf(draft: TextDraft): string {
  return linesOf(draft)
    .flatMap((line) => line.words.map((word) => word.text))
    .join(" ")
}

function isHeading(draft: TextDraft, body: BodyStyle): boolean {
  const lines = linesOf(draft)
  if (draft.form === "code" || draft.parts.length > 1 || lines.length > LINES_MAX) return false
  const text = textOf(draft)
  const [first] = lines
  if (!first || text.length > LETTERS_MAX || !/\p{L}.*\p{L}/u.test(text) || isBulleted(draft, text)) return false
  if (CONTENTS.test(text) || CAPTION.test(text)) return false
  if (first.fontSize >= SIZE_RATIO * body.size) return true
  if (text.length > BOLD_LETTERS_MAX || /[.,;]$/.test(text)) return false
  if (isBold(lines) && !body.bold && first.fontSize >= body.size - 0.5) return true
  return lines.length === 1 && NUMBERED_DEEP.test(text) && first.fontSize >= body.size - 0.5
}

/** A list of one item that no number begins. */
function isBulleted(draft: TextDraft, text: string): boolean {
  return draft.form === "list" && !/^\d/.test(text)
}

function isBold(lines: readonly Line[]): boolean {
  return lines.every((line) => line.bold)
}
