import type { PageText, Word } from "../page.ts"
import { heightOf, median, widthOf } from "./boxes.ts"

/** A word in the frame in which its line runs to the right: the page itself, or the page turned by a quarter. */
export interface PlacedWord extends Word {
  /** As it stands on the page, where that is another box. */
  readonly original?: Word
}

/** Words of one page by the way they run. */
export interface PlacedWords {
  readonly upright: readonly PlacedWord[]
  /** Of vertical text, in the frame of the turned page. */
  readonly turned: readonly PlacedWord[]
  /** Words over the limit, left out. */
  readonly skipped: number
}

/** Words of one page that are laid out: the densest real pages have 5,000. */
const WORDS_MAX = 100_000
/** A word of at least this many letters that is this much taller than wide runs vertically; upright ones reach 1.3. */
const TURNED_LETTERS_MIN = 3
const TURNED_RATIO = 1.8
/** A capital this much taller than the line is an initial, which stands with the first of its lines. */
const INITIAL_RATIO = 1.8

/** The words of a page that can be read: finite boxes on the page, well-formed text; boxes are cut at the page's edge. */
export function placeWords(page: PageText): PlacedWords {
  const words: Word[] = []
  for (const word of page.words.slice(0, WORDS_MAX)) {
    const usable = usableWord(word, page)
    if (usable) words.push(usable)
  }
  const upright: PlacedWord[] = []
  const turned: Word[] = []
  const lineHeight = median(words.map(heightOf))
  for (const word of words) {
    if (isTurned(word)) turned.push(word)
    else upright.push(placeUpright(word, lineHeight))
  }
  return { upright, turned: turnWords(turned, page), skipped: Math.max(0, page.words.length - WORDS_MAX) }
}

function usableWord(word: Word, page: PageText): Word | null {
  const x0 = Math.max(0, Math.min(word.x0, word.x1))
  const x1 = Math.min(page.width, Math.max(word.x0, word.x1))
  const y0 = Math.max(0, Math.min(word.y0, word.y1))
  const y1 = Math.min(page.height, Math.max(word.y0, word.y1))
  const text = UNUSABLE.test(word.text) ? cleanText(word.text) : word.text
  // NaN compares false.
  if (text === "" || !(x0 <= x1 && y0 <= y1 && x1 - x0 < Infinity && y1 - y0 < Infinity)) return null
  const isKept = word.fontSize > 0 && word.fontSize < Infinity && text === word.text
  // Most words are: 100,000 of them need no second object.
  if (isKept && x0 === word.x0 && y0 === word.y0 && x1 === word.x1 && y1 === word.y1) return word
  const fontSize = word.fontSize > 0 && word.fontSize < Infinity ? word.fontSize : y1 - y0
  return { text, x0, y0, x1, y1, fontSize, bold: word.bold, hyphenated: word.hyphenated }
}

/** White space, control characters, which broken fonts bring, and halves of surrogate pairs. */
const UNUSABLE = /[\s\p{Cc}\p{Cs}]/u

function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}/gu, "")
    .trim()
}

function isTurned(word: Word): boolean {
  return word.text.length >= TURNED_LETTERS_MIN && heightOf(word) > TURNED_RATIO * widthOf(word)
}

function placeUpright(word: Word, lineHeight: number): PlacedWord {
  if (heightOf(word) <= INITIAL_RATIO * lineHeight || !/^\p{Lu}$/u.test(word.text)) return word
  return { ...word, y1: word.y0 + lineHeight, original: word }
}

/** Turns vertical words so that they run to the right. Which way they run the file's order tells, in most pairs. */
function turnWords(words: readonly Word[], page: PageText): PlacedWord[] {
  let up = 0
  for (const [i, word] of words.entries()) {
    const next = words[i + 1]
    if (next && next.x0 < word.x1 && word.x0 < next.x1) up += next.y0 < word.y0 ? 1 : -1
  }
  return words.map((word) =>
    up >= 0
      ? { ...word, x0: page.height - word.y1, x1: page.height - word.y0, y0: word.x0, y1: word.x1, original: word }
      : { ...word, x0: word.y0, x1: word.y1, y0: page.width - word.x1, y1: page.width - word.x0, original: word },
  )
}
