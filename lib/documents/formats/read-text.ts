import type { ReadDocument } from "../block.ts"
import { type BlockWriter, cleanText, createBlockWriter } from "./block-writer.ts"
import { decodeText } from "./decode-text.ts"
import { unreadable } from "./document-errors.ts"
import { headingLevel, isUnderline, joinParagraph } from "./text-paragraphs.ts"

/** Of the first characters, so many may be controls before it is no text: it has none but by accident. */
const CONTROL_SHARE_MAX = 0.1
const SAMPLE_CHARS = 65_536
/** Lines that stay lines (verse, logs, code) are cut into blocks of this length. */
const BLOCK_CHARS_MAX = 4_000
/** Longer lines on average are paragraphs, each on a line of its own. */
const LINE_PARAGRAPH_CHARS = 120
const GUTENBERG = /Project Gutenberg/i
const LANGUAGES: Readonly<Record<string, string>> = {
  english: "en",
  portuguese: "pt",
  spanish: "es",
  french: "fr",
  german: "de",
  italian: "it",
}

/**
 * Reads plain text: paragraphs are apart by empty lines or form feeds, lines that were broken to fit a width are joined,
 * and a line is a heading where it is sure (underlined, numbered in capitals, alone in capitals, `Chapter 3`).
 */
export function readText(bytes: Uint8Array): ReadDocument {
  const text = decodeText(bytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is counted
  const controls = text.slice(0, SAMPLE_CHARS).match(/[\u0000-\u0008\u000E-\u001A\u001C-\u001F\uFFFD]/g)?.length ?? 0
  if (controls > Math.min(text.length, SAMPLE_CHARS) * CONTROL_SHARE_MAX) {
    throw unreadable("The file isn't text: it holds too many bytes that stand for no character.")
  }
  const writer = createBlockWriter()
  const lines = cleanText(text.replaceAll("\f", "\n\n")).split("\n")
  for (const paragraph of paragraphsOf(lines)) writeParagraph(paragraph, writer)
  return writer.finish(GUTENBERG.test(text.slice(0, 2_000)) ? gutenbergHead(lines) : {})
}

/** Runs of lines that aren't empty, without white space at their ends. */
function* paragraphsOf(lines: readonly string[]): Generator<string[]> {
  let paragraph: string[] = []
  for (const line of lines) {
    const content = line.trimEnd()
    if (content !== "") paragraph.push(content)
    else if (paragraph.length > 0) {
      yield paragraph
      paragraph = []
    }
  }
  if (paragraph.length > 0) yield paragraph
}

function writeParagraph(lines: readonly string[], writer: BlockWriter): void {
  const [first = "", second] = lines
  if (second !== undefined && isUnderline(first, second)) {
    writer.heading(second.trimStart().startsWith("=") ? 1 : 2, first)
    if (lines.length > 2) writeParagraph(lines.slice(2), writer)
    return
  }
  // Overlined as well, as reStructuredText has its titles.
  if (lines.length >= 3 && second !== undefined && lines[2] === first && isUnderline(second, first)) {
    writer.heading(1, second)
    if (lines.length > 3) writeParagraph(lines.slice(3), writer)
    return
  }
  const level = headingLevel(lines)
  if (level > 0) {
    writer.heading(level, lines.join(" "))
    return
  }
  const joined = joinParagraph(lines)
  if (joined !== null) writer.text(joined)
  else writeLines(lines, writer)
}

function writeLines(lines: readonly string[], writer: BlockWriter): void {
  const chars = lines.reduce((sum, line) => sum + line.length, 0)
  if (chars > lines.length * LINE_PARAGRAPH_CHARS) {
    for (const line of lines) writer.text(line)
    return
  }
  let block: string[] = []
  let length = 0
  for (const line of lines) {
    if (length + line.length > BLOCK_CHARS_MAX) {
      writer.preformatted(block.join("\n"))
      block = []
      length = 0
    }
    block.push(line)
    length += line.length
  }
  writer.preformatted(block.join("\n"))
}

/** What the first lines of a Project Gutenberg book say. */
function gutenbergHead(lines: readonly string[]): { title: string | null; language: string | null } {
  const field = (name: string): string | null => {
    const line = lines.slice(0, 60).find((candidate) => candidate.startsWith(`${name}: `))
    return line?.slice(name.length + 2).trim() ?? null
  }
  return { title: field("Title"), language: LANGUAGES[field("Language")?.toLowerCase() ?? ""] ?? null }
}
