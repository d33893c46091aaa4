/** A text with one misspelt word. */
export interface Misspelt {
  readonly text: string
  /** The word as it stands there now, lower case. */
  readonly word: string
  /** The text without that word: what is left of it where nobody corrects. */
  readonly without: string
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz"

/** PostgreSQL's English stop words of five letters and more: these say nothing about a question. */
const STOP_WORDS = new Set(
  "about above after again against because before being below between doing during further having herself himself itself myself other ourselves should their theirs themselves there these those through under until where which while yours yourself yourselves".split(
    " ",
  ),
)

/**
 * Makes one slip in one telling word of five to twenty letters: two neighbours swapped, a letter replaced, too many or missing,
 * each as often, anywhere but at the word's ends. Null for a text without such a word.
 */
export function misspell(text: string, random: () => number): Misspelt | null {
  const words = [...text.matchAll(/\b[a-z]{5,20}\b/gi)].filter(([word]) => !STOP_WORDS.has(word.toLowerCase()))
  const draw = (count: number): number => Math.floor(random() * count)
  const match = words[draw(words.length)]
  if (!match) return null
  const [word] = match
  let wrong = word
  // A letter may be drawn that stands there already, and two alike swap to nothing.
  while (wrong === word) wrong = slip(word, 1 + draw(word.length - 2), draw(4), LETTERS[draw(LETTERS.length)] ?? "")
  const before = text.slice(0, match.index)
  const after = text.slice(match.index + word.length)
  return { text: `${before}${wrong}${after}`, word: wrong.toLowerCase(), without: `${before}${after}` }
}

function slip(word: string, at: number, kind: number, letter: string): string {
  const [before, here, next] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1)]
  if (kind === 0) return `${before}${next}${here}${word.slice(at + 2)}`
  if (kind === 1) return `${before}${letter}${word.slice(at + 1)}`
  if (kind === 2) return `${before}${letter}${word.slice(at)}`
  return `${before}${word.slice(at + 1)}`
}
