/** Longer words may differ in two letters, shorter ones in one. */
const TWO_FROM_CHARS = 7

/** The known word that is likeliest meant by one that is not known; null where none is near, or the word is known. */
export function similarWord(word: string, known: ReadonlySet<string>): string | null {
  const wanted = word.toLowerCase()
  if (known.has(wanted)) return null
  let best: { word: string; distance: number } | null = null
  for (const each of known) {
    const most = Math.min(best ? best.distance - 1 : 2, wanted.length >= TWO_FROM_CHARS ? 2 : 1)
    if (Math.abs(each.length - wanted.length) > most) continue
    const distance = editDistance(wanted, each)
    if (distance <= most) best = { word: each, distance }
  }
  return best?.word ?? null
}

/** The words of texts, in lower case. */
export function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{M}]{4,}/gu) ?? []))
}

/** Letters to add, take away, change or swap (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
