import { median } from "./boxes.ts"
import type { TextDraft } from "./draft.ts"
import { type Line, usualLeading } from "./lines.ts"

/** A step of more usual leadings than this begins a paragraph. */
const LEADING_RATIO = 1.3
/** Sizes further apart than this share of the larger one are two texts. */
const SIZE_WITHIN = 0.08
/** An indent is at least this share of the font size; less is a letter that juts out. */
const INDENT = 0.7
/** A line that ends before this share of the column's width is a short one. */
const FULL_SHARE = 0.85
const BULLET = /^[•◦▪▫‣●○■□–—*·➢✓-]$|^[•◦▪▫‣●○■□➢✓]/u
const NUMBER = /^(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\[\d{1,4}\])$/
const ENDS_SENTENCE = /[.!?:;…]["'”’»)\]]*$/u

/** Edges of the column that a line is measured by. */
interface Column {
  readonly left: number
  readonly right: number
  readonly leading: number
  readonly fontSize: number
}

/** A draft whose parts are still being added. */
interface OpenDraft {
  readonly kind: "text"
  readonly form: TextDraft["form"]
  readonly parts: Line[][]
}

/** Lines of one column as paragraphs and lists, from top to bottom. */
export function formParagraphs(lines: readonly Line[]): TextDraft[] {
  const column = {
    left: median(lines.map((line) => line.x0)),
    right: lines.reduce((most, line) => Math.max(most, line.x1), -Infinity),
    leading: usualLeading(lines),
    fontSize: median(lines.map((line) => line.fontSize)) || 1,
  }
  const drafts: OpenDraft[] = []
  let open: Line[] = []
  const close = (): void => {
    if (open.length > 0) addParagraph(drafts, open, column)
    open = []
  }
  for (const line of lines) {
    if (beginsParagraph(open, line, column)) close()
    open.push(line)
  }
  close()
  return drafts
}

/** A paragraph that begins with a list's mark goes on with the list above it. */
function addParagraph(drafts: OpenDraft[], lines: Line[], column: Column): void {
  const isItem = lines[0] !== undefined && markOf(lines[0]) !== null
  const last = drafts.at(-1)
  const [above, below] = [last?.parts.at(-1)?.at(-1), lines[0]]
  const goesOn =
    above &&
    below &&
    below.baseline - above.baseline <= 2 * LEADING_RATIO * column.leading &&
    sameSize(above, below) &&
    above.bold === below.bold
  if (isItem && last?.form === "list" && goesOn) last.parts.push(lines)
  else drafts.push({ kind: "text", form: isItem ? "list" : "paragraph", parts: [lines] })
}

function markOf(line: Line): "bullet" | "number" | null {
  const [first, second] = line.words
  if (!first) return null
  if (BULLET.test(first.text) && (second || first.text.length > 1)) return "bullet"
  return second && NUMBER.test(first.text) ? "number" : null
}

function sameSize(a: Line, b: Line): boolean {
  return Math.abs(a.fontSize - b.fontSize) <= SIZE_WITHIN * Math.max(a.fontSize, b.fontSize)
}

function beginsParagraph(open: readonly Line[], line: Line, column: Column): boolean {
  const above = open.at(-1)
  if (!above) return true
  const step = line.baseline - above.baseline
  const usual = column.leading * (line.fontSize / column.fontSize)
  if (step > LEADING_RATIO * usual || !sameSize(above, line)) return true
  const lastWord = above.words.at(-1)
  if (above.bold !== line.bold && !lastWord?.hyphenated) return true
  const ended = ENDS_SENTENCE.test(lastWord?.text ?? "")
  const short = above.x1 < column.left + FULL_SHARE * (column.right - column.left)
  const mark = markOf(line)
  if (mark === "bullet") return true
  if (mark === "number" && (ended || short || markOf(open[0] ?? line) === "number")) return true
  return isIndented(open, above, line, ended, short) || (ended && short)
}

/** Whether the line's indent parts it from the paragraph above: its first line moved in, or its hanging lines ended. */
function isIndented(open: readonly Line[], above: Line, line: Line, ended: boolean, short: boolean): boolean {
  const moved = line.x0 - above.x0
  if (Math.abs(moved) <= INDENT * line.fontSize) return false
  if (open.length > 1) return true
  const isItem = markOf(above) !== null
  // After one line: moved in, it hangs below it, or the line above was a paragraph; moved out, that was its indent.
  return moved > 0 ? !isItem && (ended || short) : short && ended
}
