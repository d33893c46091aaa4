import type { SearchRequest } from "../../lib/search/request.ts"

/** How results are put in order, in the words of the page. */
export type Ranking = "both" | "meaning" | "words" | "second-look"

interface RankingWords {
  readonly name: string
  /** One sentence for who never heard of it. */
  readonly says: string
  readonly request: Pick<Partial<SearchRequest>, "strategy" | "rerank">
}

/** The rankings, the usual one first. */
export const RANKINGS: Readonly<Record<Ranking, RankingWords>> = {
  both: {
    name: "Meaning and words",
    says: "What a passage means and the words it uses count the same.",
    request: { strategy: "weighted" },
  },
  meaning: {
    name: "Meaning",
    says: "How near a passage comes to what you ask, whatever words it uses.",
    request: { strategy: "semantic" },
  },
  words: {
    name: "Words",
    says: "How many of your words a passage holds; rare words count more.",
    request: { strategy: "lexical" },
  },
  "second-look": {
    name: "With a second look",
    says: "Meaning and words first; then the best fifty are read once more beside your question.",
    request: { strategy: "weighted", rerank: true },
  },
}

/** Their names, in order. */
export const RANKING_IDS = Object.keys(RANKINGS) as readonly Ranking[]

/** Whether a word of an address names a ranking. */
export function isRanking(word: string): word is Ranking {
  return Object.hasOwn(RANKINGS, word)
}
