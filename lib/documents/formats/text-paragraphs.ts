const HEADING_CHARS_MAX = 80
/** Narrower columns are verse, addresses or tables. */
const WRAP_WIDTH_MIN = 40
/** And nobody wraps at more. */
const WRAP_WIDTH_MAX = 160
/** Lines of a paragraph that may break the rule of wrapping: an author's own line break, a word set by hand. */
const EXCEPTIONS_SHARE_MAX = 0.15

const UNDERLINE = /^\s*(={3,}|-{3,}|~{3,}|\*{3,})\s*$/
const LIST_ITEM = /^\s*(?:[-*+•·–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S/
/** Columns, dot leaders, code. */
const ALIGNED = /\S(?: {3,}|\t)\S|\.{4,}|^\s*[|+][-|+ ]/
const NAMED_PART =
  /^(?:chapter|section|part|book|volume|appendix|annex|act|scene|cap[íi]tulo|se[çc][ãa]o|parte|livro|ap[êe]ndice|anexo|t[íi]tulo|canto)\s+(?:\d{1,3}|[ivxlc]{1,7}|[a-z])(?:\s*[.:—–-]\s*.*)?[.:]?$/i
const NUMBERED = /^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(\S.*)$/

/** Whether `line` underlines `title`: about as long, as people draw it. */
export function isUnderline(title: string, line: string): boolean {
  if (!UNDERLINE.test(line) || UNDERLINE.test(title)) return false
  const length = title.trim().length
  return length > 0 && length <= HEADING_CHARS_MAX && Math.abs(line.trim().length - length) <= Math.max(2, length * 0.3)
}

/**
 * Level of a heading that stands alone between empty lines, 0 where it isn't sure to be one: `Chapter IV`, `CAPÍTULO 2`,
 * `3.1 Scope`, `1. INTRODUCTION`, `CONTENTS`. A shout (`STOP!`) and an item of a list (`1. Take an egg`) are none.
 */
export function headingLevel(lines: readonly string[]): number {
  const text = lines.map((line) => line.trim()).join(" ")
  if (lines.length > 2 || text.length > HEADING_CHARS_MAX || /[,;!?]$/.test(text)) return 0
  if (NAMED_PART.test(text)) return 1
  if (lines.length > 1) return 0
  const numbered = NUMBERED.exec(text)
  if (numbered) {
    const [, number = "", rest = ""] = numbered
    const depth = number.split(".").length
    const isTitle = isCapitals(rest) || (depth > 1 && /^\p{Lu}/u.test(rest) && !/[.:]$/.test(rest))
    return isTitle ? Math.min(depth, 6) : 0
  }
  return isCapitals(text) && !/[.]$/.test(text) ? 2 : 0
}

/** All letters capitals, at least four of them, and mostly letters. */
function isCapitals(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? []
  if (letters.length < 4 || letters.length < text.replace(/\s/g, "").length * 0.6) return false
  return text === text.toUpperCase() && text !== text.toLowerCase()
}

/**
 * The lines as one, where they were broken to fit a width; null where their breaks mean something. Whoever wraps puts as
 * many words on a line as fit, so that the next line's first word never would have fitted: verse, addresses, code and
 * tables break that rule at once.
 */
export function joinParagraph(lines: readonly string[]): string | null {
  if (lines.length === 1) return lines[0]?.trim() ?? ""
  const [first = ""] = lines
  if (lines.some((line) => ALIGNED.test(line.trimEnd()))) return null
  if (lines.slice(1).some((line) => LIST_ITEM.test(line))) return joinItems(lines)
  const rest = lines.slice(1)
  const indent = indentOf(rest[0] ?? "")
  // A first line may be indented differently, and the others all alike.
  if (rest.some((line) => indentOf(line) !== indent) || Math.abs(indentOf(first) - indent) > 8) return null
  if (!isWrapped(lines)) return null
  return joinLines(lines)
}

/** A list whose items are wrapped: each item on a line, where every line that begins none is indented. */
function joinItems(lines: readonly string[]): string | null {
  const items: string[][] = []
  for (const line of lines) {
    const last = items.at(-1)
    if (LIST_ITEM.test(line) || !last) items.push([line])
    else if (indentOf(line) > indentOf(last[0] ?? "") || isLong(last.at(-1) ?? "")) last.push(line)
    else return null
  }
  return items.map((item) => " ".repeat(Math.min(indentOf(item[0] ?? ""), 16)) + joinLines(item)).join("\n")
}

function isLong(line: string): boolean {
  return line.length >= WRAP_WIDTH_MIN
}

function isWrapped(lines: readonly string[]): boolean {
  const width = lines.reduce((widest, line) => Math.max(widest, line.length), 0)
  if (width < WRAP_WIDTH_MIN || width > WRAP_WIDTH_MAX) return false
  let exceptions = 0
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1]
    if (next === undefined) break
    const word = /\S+/.exec(next)?.[0] ?? ""
    if (line.length + 1 + word.length < width) exceptions++
  }
  return exceptions <= (lines.length - 1) * EXCEPTIONS_SHARE_MAX
}

/** A hyphen at the end keeps the halves together; whether it belongs to the word, only a dictionary knows. */
function joinLines(lines: readonly string[]): string {
  const parts: string[] = []
  for (const line of lines) {
    const content = line.trim()
    const glued = parts.length === 0 || /\p{L}-$/u.test((parts.at(-1) ?? "").slice(-3))
    parts.push(glued ? content : ` ${content}`)
  }
  return parts.join("")
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
