import type { EmbeddingFamily } from "./embedding-families.ts"
import type { TextKind } from "./inference.ts"

/** Bytes of UTF-8 that a token has at least, of a model of many languages: Portuguese 3.6, Chinese 3 (one character). */
const BYTES_PER_TOKEN = 3
/** The same of what isn't English, for a model of English alone: MiniLM has 2.6 to 2.9 of Portuguese. */
const BYTES_PER_FOREIGN_TOKEN = 2.5

const ENGLISH = /\b(?:the|of|and|to|in|is|was|that|for|with|it|from|be|are|this|were|had|not|which|on|by|at)\b/gi
/** Of all words at least, in English: prose has .19 to .37 of those above, Portuguese none, half of each .16. */
const ENGLISH_SHARE = 0.2
/** What an English word has beyond as many letters takes more tokens, one for each `LETTERS_PER_TOKEN`. */
const LETTERS_OF_FIRST_TOKEN = 4
const LETTERS_PER_TOKEN = 3

/**
 * Tokens of a text for a model whose tokenizer is not here: high for nearly all text, so that what is cut to size by it
 * fits. English by its words, digits and signs, which is a fifth above what MiniLM counts in prose; anything else by its
 * bytes, unless that is less. `languages` are the model's only ones, if it has such.
 */
export function estimateTokens(text: string, languages: readonly string[] | null = null): number {
  return Math.ceil(estimate(text, languages))
}

function estimate(text: string, languages: readonly string[] | null): number {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
  const isEnglish = words > 0 && (text.match(ENGLISH)?.length ?? 0) >= ENGLISH_SHARE * words
  const byWords = tokensOfEnglish(text)
  if (isEnglish) return byWords
  return Math.max(byWords, Buffer.byteLength(text) / (languages ? BYTES_PER_FOREIGN_TOKEN : BYTES_PER_TOKEN))
}

function tokensOfEnglish(text: string): number {
  let tokens = 0
  for (const [run] of text.matchAll(/[a-z]+|[0-9]+|[^\p{ASCII}]+|\S/giu)) {
    if (/^[a-z]/i.test(run)) tokens += 1 + Math.max(0, run.length - LETTERS_OF_FIRST_TOKEN) / LETTERS_PER_TOKEN
    else if (/^[0-9]/.test(run)) tokens += Math.ceil(run.length / 2)
    else tokens += Math.max(1, Buffer.byteLength(run) / BYTES_PER_TOKEN)
  }
  return tokens
}

/** The text's head that `maxTokens` are enough for. */
function fitted(text: string, maxTokens: number, languages: readonly string[] | null): string {
  let head = text
  for (let tokens = estimate(head, languages); tokens > maxTokens; tokens = estimate(head, languages)) {
    const bytes = Buffer.from(head)
    const end = Math.min(bytes.length - 1, Math.round((bytes.length * maxTokens) / tokens))
    // A character cut in two by the byte limit decodes to U+FFFD at the end.
    head = bytes
      .subarray(0, end)
      .toString("utf8")
      .replace(/\uFFFD$/, "")
  }
  return head
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
  languages: readonly string[] | null = null,
): RemoteTexts {
  const prefix = kind === "query" ? family.queryPrefix : family.passagePrefix
  const truncated: number[] = []
  let tokens = 0
  const fitting = texts.map((text, index) => {
    const whole = prefix + text
    const count = estimateTokens(whole, languages)
    tokens += Math.min(count, maxTokens)
    if (count <= maxTokens) return whole
    truncated.push(index)
    return fitted(whole, maxTokens, languages)
  })
  return { texts: fitting, truncated, tokens }
}

/** The vector scaled to unit length; `null` for one of another length, or of no direction. */
export function unitVector(vector: readonly number[], dimensions: number): Float32Array | null {
  if (vector.length !== dimensions) return null
  const length = Math.hypot(...vector)
  return length > 0 && Number.isFinite(length) ? Float32Array.from(vector, (x) => x / length) : null
}
