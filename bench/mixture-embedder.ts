import type { Embedder } from "../lib/inference/inference.ts"
import { randomFrom } from "../lib/random.ts"
import { normalized } from "../lib/vector.ts"
import type { RecombinedPassage } from "./recombined-passages.ts"

/** Standard deviation of the noise per dimension: .1 of a vector's length at 384 dimensions, cosine about .995. */
const NOISE = 0.005

/**
 * An embedder for recombined passages, of which there are too many to send through a model (150,000 take half an hour
 * on two cores): a passage gets the normalised mean of its source documents' real vectors, by their numbers of
 * sentences, and a little noise that keeps apart those with the same sources. Queries go through the model.
 *
 * `expect` names passages that will come, until they are forgotten; embedding any other text throws.
 */
export function createMixtureEmbedder(model: Embedder, documentVectors: readonly Float32Array[]) {
  const expected = new Map<string, RecombinedPassage>()
  const vectorOf = (text: string): Float32Array => {
    const passage = expected.get(text)
    if (!passage) throw new RangeError("The bench was asked to embed a text that is none of its passages")
    return mixVectors(passage, documentVectors, model.dimensions)
  }
  const embedder: Embedder = {
    model: model.model,
    dimensions: model.dimensions,
    maxTokens: model.maxTokens,
    ...(model.languages && { languages: model.languages }),
    countTokens: (text) => model.countTokens(text),
    embed: async (texts, kind, options) =>
      kind === "query" ? model.embed(texts, kind, options) : { vectors: texts.map(vectorOf), truncated: [], tokens: 0 },
  }
  return {
    embedder,
    /** The vector of a passage, whether it is expected or not. */
    vectorOf: (passage: RecombinedPassage) => mixVectors(passage, documentVectors, model.dimensions),
    expect: (passages: readonly RecombinedPassage[]) => {
      for (const passage of passages) expected.set(passage.content, passage)
      return {
        forget: () => {
          for (const { content } of passages) expected.delete(content)
        },
      }
    },
  }
}

/** The vector of a passage whose text never went through the model. */
export function mixVectors(
  { content, sources }: RecombinedPassage,
  documentVectors: readonly Float32Array[],
  dimensions: number,
): Float32Array {
  const mixed = new Float32Array(dimensions)
  const sentences = sources.reduce((sum, [, count]) => sum + count, 0)
  const random = randomFrom(seedOf(content))
  for (let i = 0; i < dimensions; i += 1) {
    let value = NOISE * gaussian(random)
    for (const [document, count] of sources) value += (count / sentences) * (documentVectors[document]?.[i] ?? 0)
    mixed[i] = value
  }
  return normalized(mixed)
}

/** FNV-1a of the text. */
function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** A standard normal number, by Box and Muller. */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
