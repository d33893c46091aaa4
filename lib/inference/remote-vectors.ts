import type { EmbeddingFamily } from "./embedding-families.ts"
import type { TextKind } from "./inference.ts"

/** Bytes a token has at least, in ordinary text: English 4.5, Portuguese 3.6, Chinese 3 (one character). */
const BYTES_PER_TOKEN = 3

/**
 * Tokens of a text for a model whose tokenizer is not here: a third of its bytes in UTF-8, rounded up. High for nearly
 * all text (English by half), so that what is cut to size by it fits.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

/** Texts as a remote model gets them, and which of them lost their tails. */
export interface RemoteTexts {
  readonly texts: readonly string[]
  readonly truncated: readonly number[]
  /** Estimated. */
  readonly tokens: number
}

/** Prefixes the texts as the model's family wants and cuts those that are too long by `estimateTokens`. */
export function remoteTexts(
  texts: readonly string[],
  kind: TextKind,
  family: EmbeddingFamily,
  maxTokens: number,
): RemoteTexts {
  const prefix = kind === "query" ? family.queryPrefix : family.passagePrefix
  const truncated: number[] = []
  let tokens = 0
  const fitting = texts.map((text, index) => {
    const whole = prefix + text
    const estimate = estimateTokens(whole)
    tokens += Math.min(estimate, maxTokens)
    if (estimate <= maxTokens) return whole
    truncated.push(index)
    // A character cut in two by the byte limit decodes to U+FFFD at the end.
    return Buffer.from(whole)
      .subarray(0, maxTokens * BYTES_PER_TOKEN)
      .toString("utf8")
      .replace(/\uFFFD$/, "")
  })
  return { texts: fitting, truncated, tokens }
}

/** The vector scaled to unit length; `null` for one of another length, or of no direction. */
export function unitVector(vector: readonly number[], dimensions: number): Float32Array | null {
  if (vector.length !== dimensions) return null
  const length = Math.hypot(...vector)
  return length > 0 && Number.isFinite(length) ? Float32Array.from(vector, (x) => x / length) : null
}
