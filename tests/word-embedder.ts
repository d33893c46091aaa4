import { createHash } from "node:crypto"
import type { Embedder } from "../lib/inference/inference.ts"
import { normalized } from "../lib/vector.ts"

interface WordEmbedderOptions {
  readonly model?: string
  readonly dimensions?: number
  readonly maxTokens?: number
}

/**
 * An embedder without a model, the same on every machine: each word is a fixed direction, a text the sum of its words'.
 * Texts that share words are near each other and equal bags of words are equal; what words mean it doesn't know.
 */
export function createWordEmbedder({
  model = "test/words",
  dimensions = 64,
  maxTokens = 256,
}: WordEmbedderOptions = {}): Embedder {
  return {
    model,
    dimensions,
    maxTokens,
    countTokens: (text) => words(text).length,
    async embed(texts) {
      const vectors = texts.map((text) => embedWords(words(text), dimensions))
      const truncated = texts.flatMap((text, i) => (words(text).length + 2 > maxTokens ? [i] : []))
      return { vectors, truncated, tokens: texts.reduce((sum, text) => sum + words(text).length, 0) }
    },
  }
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

const directions = new Map<string, Buffer>()

/** Bytes of a digest as coordinates, -128 to 127, over and over when there are more dimensions than bytes. */
function embedWords(wordsOfText: readonly string[], dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions)
  // A text without words still has a direction, as it has for a real model.
  for (const word of wordsOfText.length === 0 ? [""] : wordsOfText) {
    const direction = directions.get(word) ?? createHash("sha512").update(word).digest()
    directions.set(word, direction)
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + direction.readInt8(i % direction.length)
  }
  return normalized(sum)
}
