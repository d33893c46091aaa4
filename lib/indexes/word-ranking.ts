import { AppError } from "../errors.ts"
import type { Question } from "../search/question.ts"

/** A passage as words see it. */
export interface WordedText {
  readonly title: string
  readonly content: string
}

/** BM25's constants, and the length that counts as usual: those of the stored weights (migration 0007). */
export const BM25 = { k1: 1.2, b: 0.75, usualLength: 110 } as const

/** So frequent in English or Portuguese that they only make passages look alike. */
const STOP_WORDS = new Set(
  `a an and are as at be but by for from had has have he her his i if in into is it its no not of on or our she so such
  that the their them then there these they this to was we were what when where which who will with you your does do did
  how why can could should would o os um uma uns umas e de do da dos das em no na nos nas por para com que se ao aos como
  mais mas foi ser são seu sua ou quando muito já também só pelo pela até isso ela ele entre qual quais quem onde`
    .split(/\s+/)
    .map(fold),
)

/** Lower case without accents, as the words of the index are compared. */
function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
}

/** A text's words, folded, a plain plural taken for its singular (Harman's S stemmer, JASIS 1991). */
export function wordsOf(text: string): string[] {
  return (fold(text).match(/[\p{L}\p{N}]+/gu) ?? []).map(singular)
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies") && !/[ae]ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (word.length > 3 && word.endsWith("es") && !/[aeo]es$/.test(word)) return word.slice(0, -1)
  return word.length > 3 && word.endsWith("s") && !/[us]s$/.test(word) ? word.slice(0, -1) : word
}

/** What a word that stands `count` times in a text of `length` words weighs before its IDF: at most 2.2. */
export function bm25Weight(count: number, length: number): number {
  const { k1, b, usualLength } = BM25
  return (count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / usualLength))
}

/**
 * BM25 of each text against the question's words, the texts being all there is: how rare a word is among them decides what
 * it counts for. A title's words count twice, as in the stored weights; 0 is a text without any of the words.
 */
export function rankWords(words: string, texts: readonly WordedText[]): number[] {
  const asked = countWords(wordsOf(words).filter((word) => !STOP_WORDS.has(word)))
  const counted = texts.map(({ title, content }) => {
    const inContent = wordsOf(content)
    const inTitle = wordsOf(title)
    return { counts: countWords([...inContent, ...inTitle, ...inTitle]), length: inContent.length + 2 * inTitle.length }
  })
  const idf = new Map<string, number>()
  for (const word of asked.keys()) {
    const holding = counted.filter(({ counts }) => counts.has(word)).length
    idf.set(word, Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5)))
  }
  return counted.map(({ counts, length }) => {
    let score = 0
    for (const [word, times] of asked) {
      const count = counts.get(word)
      if (count !== undefined) score += times * (idf.get(word) ?? 0) * bm25Weight(count, length)
    }
    return score
  })
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Whether a text holds every phrase of the question and nothing that it excludes. */
export function allowsText({ phrases, excluded }: Question, { title, content }: WordedText): boolean {
  if (phrases.length === 0 && excluded.length === 0) return true
  const parts = [title, content].map((text) => ` ${wordsOf(text).join(" ")} `)
  const holds = (phrase: string): boolean => {
    const words = wordsOf(phrase)
    return words.length > 0 && parts.some((part) => part.includes(` ${words.join(" ")} `))
  }
  return phrases.every((phrase) => holds(phrase) || wordsOf(phrase).length === 0) && !excluded.some(holds)
}

/** The words of a text that the question asks for, as they are written there. */
export function matchingWords(words: string, text: string): string[] {
  const asked = new Set(wordsOf(words).filter((word) => !STOP_WORDS.has(word)))
  const written = new Set(text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])
  return [...written].filter((word) => wordsOf(word).some((form) => asked.has(form)))
}

/** What a question by words alone gets from an index that ranks by words only what lies near a vector. */
export function needsVector(name: string): AppError {
  return new AppError(
    "inference_unavailable",
    `${name} has no search by words, and the question has no vector: no embedding model is configured, or it did not answer. Try again, or send embedding.`,
  )
}
