import { printable } from "./terminal.ts"

interface Mark {
  readonly start: number
  readonly end: number
}

interface Word extends Mark {
  readonly text: string
}

export interface SnippetOptions {
  /** Characters of a line. */
  readonly width: number
  readonly lines: number
  /** Draws a marked word. */
  readonly emphasize: (text: string) => string
}

/** Columns that an ellipsis takes. */
const ELLIPSIS = 2
/** What a line loses on average to the word that no longer fits, ellipsis included. */
const RAGGED = 6

/**
 * The part of a passage that holds the most of its marked words, as lines of at most `width` characters; an ellipsis
 * stands where text was left out. Marks are UTF-16 offsets into `content`.
 */
export function formatSnippet(content: string, marks: readonly Mark[], options: SnippetOptions): string[] {
  const words = [...content.matchAll(/\S+/g)].map((found) => {
    return { text: found[0], start: found.index, end: found.index + found[0].length }
  })
  const room = (options.width - RAGGED) * options.lines
  const [first, last] = densestWindow(words, marks, room)
  const filled = fillLines(words.slice(first, last), marks, options, first > 0 ? "… " : "")
  const lines = filled.slice(0, options.lines)
  const lastLine = lines.pop()
  if (lastLine === undefined) return []
  const goesOn = last < words.length || filled.length > options.lines
  return [...lines, goesOn ? `${lastLine} …` : lastLine]
}

/** First and past-last index of the words that fit in `room` with the most marked ones; the earliest of equals. */
function densestWindow(words: readonly Word[], marks: readonly Mark[], room: number): [number, number] {
  const marked = words.map((word) => marks.some((mark) => overlaps(word, mark)))
  let best: [number, number] = [0, 0]
  let bestCount = -1
  let count = 0
  let last = 0
  for (let first = 0; first < words.length; first += 1) {
    const start = words[first]?.start ?? 0
    while (last < words.length && ((words[last]?.end ?? 0) - start <= room || last === first)) {
      count += marked[last] ? 1 : 0
      last += 1
    }
    if (count > bestCount) {
      best = [first, last]
      bestCount = count
    }
    count -= marked[first] ? 1 : 0
  }
  return leadIn(best, words, marked, room)
}

/** Moves a window back, so that its first marked word doesn't open it, as far as none of the marked leaves at its end. */
function leadIn(
  [first, last]: [number, number],
  words: readonly Word[],
  marked: readonly boolean[],
  room: number,
): [number, number] {
  const lastMarked = marked.lastIndexOf(true, last - 1)
  const end = words[Math.max(lastMarked, first)]?.end ?? 0
  let from = first
  while (from > 0 && from > first - 8 && end - (words[from - 1]?.start ?? 0) <= room) from -= 1
  const start = words[from]?.start ?? 0
  let to = last
  while (to > from + 1 && (words[to - 1]?.end ?? 0) - start > room) to -= 1
  return [from, to]
}

function fillLines(words: readonly Word[], marks: readonly Mark[], options: SnippetOptions, lead: string): string[] {
  const lines: string[] = []
  let line = lead
  let length = lead.length
  for (const word of words) {
    const gap = line === "" || line === lead ? 0 : 1
    if (length > 0 && length + gap + word.text.length > options.width - ELLIPSIS) {
      lines.push(line)
      line = ""
      length = 0
    }
    const space = length === 0 || line === lead ? "" : " "
    line += space + drawWord(word, marks, options.emphasize)
    length += space.length + word.text.length
  }
  return line === "" ? lines : [...lines, line]
}

function drawWord(word: Word, marks: readonly Mark[], emphasize: (text: string) => string): string {
  const within = marks.filter((mark) => overlaps(word, mark)).sort((a, b) => a.start - b.start)
  let drawn = ""
  let at = word.start
  for (const mark of within) {
    const start = Math.max(at, mark.start)
    const end = Math.min(word.end, mark.end)
    if (end <= start) continue
    drawn += printable(word.text.slice(at - word.start, start - word.start))
    drawn += emphasize(printable(word.text.slice(start - word.start, end - word.start)))
    at = end
  }
  return drawn + printable(word.text.slice(at - word.start))
}

const overlaps = (a: Mark, b: Mark): boolean => a.start < b.end && b.start < a.end
