import type { Embedder } from "../inference/inference.ts"
import type { CountTokens } from "./split-text.ts"

/** English and Portuguese alike take about four characters a token. */
const CHARS_PER_TOKEN = 4

/** Counts as the embedder does; without one by the length of the text. */
export function tokenCounter(embedder: Embedder | null): CountTokens {
  return embedder ? (text) => embedder.countTokens(text) : (text) => Math.ceil(text.length / CHARS_PER_TOKEN)
}
