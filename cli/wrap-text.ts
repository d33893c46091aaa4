/** Characters that take two columns: of Chinese, Japanese and Korean, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3ffff}]/u
/** Characters that take none. */
const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/u

const columnsOf = (character: string): number => (NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

/** Columns that a line takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

/** A line of at most `width` columns; an ellipsis stands for what was cut off. */
export function clip(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${head(text, width - 1)}…`
}

/**
 * Paragraphs as lines of at most `width` columns, broken between words. A longer word keeps a line to itself, for the
 * terminal to break: so a path or an address can be copied whole.
 */
export function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => wrapParagraph(paragraph, width))
}

function wrapParagraph(paragraph: string, width: number): string[] {
  if (widthOf(paragraph) <= width) return [paragraph]
  // What stands under a point of a list is indented as its text is.
  const [lead = ""] = /^\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)?/.exec(paragraph) ?? []
  const indent = " ".repeat(lead.length < width / 2 ? lead.length : 0)
  const lines: string[] = []
  let line = ""
  for (const word of paragraph.slice(lead.length).split(/\s+/).filter(Boolean)) {
    if (line === "") line = lead + word
    else if (widthOf(line) + 1 + widthOf(word) <= width) line += ` ${word}`
    else {
      lines.push(line)
      line = indent + word
    }
  }
  return [...lines, line]
}

/** As much of the beginning as fits; one character at least. */
function head(text: string, width: number): string {
  let taken = ""
  let columns = 0
  for (const character of text) {
    columns += columnsOf(character)
    if (columns > width && taken !== "") break
    taken += character
  }
  return taken
}
