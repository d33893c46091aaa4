/** With what a spreadsheet takes a cell for a formula; the full-width signs are those of Japanese and Chinese Excel. */
const FORMULA = /"?[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/uy
/** Begins like a formula and is a number, or the dash of an empty cell: -5, +3.2 %, -1,234.56. */
const NUMBER = /(?:"[-+][\d\s.,%€$£]*"|[-+][\d .%€$£]*)(?=[,\r\n]|$)/uy

const ROW_END = /[\r\n]/y

/**
 * CSV in which no cell is a formula to Excel, LibreOffice or Google Sheets: one that would be gets an apostrophe in front
 * (OWASP, CSV injection). A table comes out of somebody's file, and `=HYPERLINK(…)` or `=cmd|…` of it would run at the desk
 * of whoever opens the download. Numbers stay as they are. Takes what `toCsv` writes.
 */
export function defuseCsv(csv: string): string {
  let defused = ""
  let copied = 0
  let isQuoted = false
  for (let at = 0; at <= csv.length; at++) {
    const char = csv.charCodeAt(at - 1)
    // Two in a row, which stand for one, end and begin again.
    if (char === QUOTE) isQuoted = !isQuoted
    const isStart = at === 0 || (!isQuoted && (char === COMMA || char === LINE_FEED))
    if (!isStart || !isFormula(csv, at)) continue
    const content = csv.charCodeAt(at) === QUOTE ? at + 1 : at
    defused += `${csv.slice(copied, content)}'`
    copied = content
  }
  return defused + csv.slice(copied)
}

const QUOTE = 0x22
const COMMA = 0x2c
const LINE_FEED = 0x0a

function isFormula(csv: string, start: number): boolean {
  // A line break that isn't in quotes ends a row whose last cell is empty.
  return matchesAt(FORMULA, csv, start) && !matchesAt(ROW_END, csv, start) && !matchesAt(NUMBER, csv, start)
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}
