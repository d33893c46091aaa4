import { createHash } from "node:crypto"
import type { NewRecord } from "./search-index.ts"
import { bm25Weight, matchingWords, wordsOf } from "./word-ranking.ts"

/** A vector of words: one dimension a word, both lists in step. */
export interface SparseWords {
  /** Unsigned, 32 bits, ascending, each once. */
  readonly indices: readonly number[]
  readonly values: readonly number[]
}

/** Words of one vector: Pinecone takes no more. The heaviest stay. */
const WORDS_MAX = 1_000

/**
 * A record's words with their weights in BM25 but for the IDF, which the question has to bring, or the engine. Words of the
 * payload's `title` count twice, as in `rankWords`.
 */
export function sparsePassage({ text, payload }: Pick<NewRecord, "text" | "payload">): SparseWords {
  const content = wordsOf(text)
  const title = typeof payload["title"] === "string" ? wordsOf(payload["title"]) : []
  const words = [...content, ...title, ...title]
  return toSparse(words, (count) => bm25Weight(count, words.length))
}

/** A question's words, each with how often it stands there, without those that only make passages look alike. */
export function sparseQuestion(text: string): SparseWords {
  return toSparse(wordsOf(matchingWords(text, text).join(" ")), (count) => count)
}

function toSparse(words: readonly string[], weightOf: (count: number) => number): SparseWords {
  const counts = new Map<number, number>()
  for (const word of words) {
    const dimension = dimensionOf(word)
    counts.set(dimension, (counts.get(dimension) ?? 0) + 1)
  }
  const entries = [...counts].map(([dimension, count]) => [dimension, weightOf(count)] as const)
  const heaviest = entries.toSorted((a, b) => b[1] - a[1]).slice(0, WORDS_MAX)
  const ascending = heaviest.toSorted((a, b) => a[0] - b[0])
  return { indices: ascending.map(([dimension]) => dimension), values: ascending.map(([, weight]) => weight) }
}

/** The first 32 bits of the word's SHA-256: of 100,000 words one other shares a given word's with odds of 1 to 43,000. */
function dimensionOf(word: string): number {
  return createHash("sha256").update(word).digest().readUInt32BE(0)
}
