import type { QuotablePassage, QuotableSentence } from "./quotable-sentences.ts"
import { type ScoredSentence, tableHead } from "./score-sentences.ts"

/** Most sentences of an answer; a table's head comes on top. */
const SENTENCES_MAX = 4
/** Share of the best sentence's score that another must reach. */
const SCORE_SHARE_MIN = 0.85
/** Share of a sentence's words that one already chosen may hold: near-duplicates of documents say the same twice. */
const REPEATED_MAX = 0.6
/** Only the passages of so many documents are quoted together; more would be a list of hits. */
const PASSAGES_MAX = 2

/**
 * The best sentence, and up to three others that are nearly as good and say something else. Passages come in the order of
 * their best sentence, sentences in the order of their passage. A table's row brings the table's head along.
 */
export function chooseSentences(
  ranked: readonly ScoredSentence[],
  passages: readonly QuotablePassage[],
): readonly QuotableSentence[] {
  const [best] = ranked
  if (!best) return []
  const chosen: ScoredSentence[] = [best]
  for (const sentence of ranked.slice(1)) {
    if (chosen.length === SENTENCES_MAX || sentence.score < SCORE_SHARE_MIN * best.score) break
    const quoted = new Set([...chosen.map(({ passage }) => passage), sentence.passage])
    if (quoted.size > PASSAGES_MAX) continue
    if (chosen.every(({ text }) => repeated(sentence.text, text) <= REPEATED_MAX)) chosen.push(sentence)
  }
  const order = [...new Set(chosen.map(({ passage }) => passage))]
  return order.flatMap((passage) => {
    const own = chosen.filter((sentence) => sentence.passage === passage).sort((a, b) => a.start - b.start)
    return withHead(own, passages[passage]?.text ?? "")
  })
}

function withHead(sentences: readonly QuotableSentence[], text: string): QuotableSentence[] {
  const at = sentences.findIndex((sentence) => sentence.text.includes("|"))
  const row = sentences[at]
  const head = row && tableHead(text)
  if (!head || sentences.some((sentence) => sentence.text === head)) return [...sentences]
  return [...sentences.slice(0, at), { ...row, start: text.indexOf(head), text: head }, ...sentences.slice(at)]
}

/** Share of the shorter one's words that the other has too. */
function repeated(a: string, b: string): number {
  const [few = new Set<string>(), many = new Set<string>()] = [wordsOf(a), wordsOf(b)].sort((x, y) => x.size - y.size)
  return few.size === 0 ? 0 : [...few].filter((word) => many.has(word)).length / few.size
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
