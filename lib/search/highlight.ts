/** Where a matching word stands, as UTF-16 offsets of the text. */
export interface Highlight {
  readonly start: number
  readonly end: number
}

/** Most highlights of one text. */
const HIGHLIGHTS_MAX = 100

/** Finds every whole-word occurrence of the words, in order of place; where two overlap the longer one stands. */
export function highlightWords(text: string, words: readonly string[]): Highlight[] {
  if (words.length === 0) return []
  const longestFirst = [...words].sort((a, b) => b.length - a.length).map(escapeRegExp)
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}])`, "gu")
  const found: Highlight[] = []
  for (const match of text.matchAll(pattern)) {
    found.push({ start: match.index, end: match.index + match[0].length })
    if (found.length === HIGHLIGHTS_MAX) break
  }
  return found
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
}
