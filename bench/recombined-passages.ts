import { createHash } from "node:crypto"
import type { Passage } from "../lib/beir-collection.ts"
import { randomFrom } from "../lib/random.ts"

/** A passage that was never written: sentences of two documents, and how much of it each gave. */
export interface RecombinedPassage {
  readonly content: string
  /** Indices into the corpus with their number of sentences; their vectors' weighted mean is the passage's. */
  readonly sources: readonly (readonly [document: number, sentences: number])[]
}

/** Sentences shorter than this are headings, references and abbreviations that the splitter cut. */
const SENTENCE_CHARS_MIN = 30

/**
 * Makes `count` passages as long as the documents they come from: half of the sentences of two documents each, drawn
 * by a generator with a fixed `seed`, so that words meet in a passage about as they do in real text. No passage is
 * made twice. Throws a RangeError when the corpus is too small for that.
 */
export function* recombinePassages(
  corpus: readonly Passage[],
  count: number,
  seed: number,
): Generator<RecombinedPassage> {
  const sentences = corpus.map(({ text }) => splitSentences(text))
  const usable = [...sentences.keys()].filter((index) => (sentences[index] ?? []).length > 0)
  const random = randomFrom(seed)
  const made = new Set<string>()
  let failures = 0
  while (made.size < count) {
    const first = usable[Math.floor(random() * usable.length)] ?? 0
    const second = usable[Math.floor(random() * usable.length)] ?? 0
    const parts = [first, second].map((index) => drawHalf(sentences[index] ?? [], random))
    const content = parts.flat().join(" ")
    const digest = digestOf(content)
    if (first === second || made.has(digest)) {
      failures += 1
      if (failures > 100 * count) throw new RangeError(`${corpus.length} documents don't make ${count} passages`)
      continue
    }
    made.add(digest)
    yield {
      content,
      sources: [
        [first, parts[0]?.length ?? 0],
        [second, parts[1]?.length ?? 0],
      ],
    }
  }
}

/** In place of the text: a million of them are 1.5 GB. */
function digestOf(text: string): string {
  return createHash("sha1").update(text).digest("base64")
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" })

function splitSentences(text: string): string[] {
  return [...segmenter.segment(text)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence.length >= SENTENCE_CHARS_MIN)
}

/** Half of the sentences, at least one, in the order they stand. */
function drawHalf(sentences: readonly string[], random: () => number): string[] {
  const keep = Math.ceil(sentences.length / 2)
  return sentences
    .map((sentence, place) => ({ sentence, place, key: random() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, keep)
    .sort((a, b) => a.place - b.place)
    .map(({ sentence }) => sentence)
}
