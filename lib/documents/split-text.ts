/** How many tokens a text has. */
export type CountTokens = (text: string) => number

const sentences = new Intl.Segmenter("en", { granularity: "sentence" })
/** Longest run given to the segmenter, whose time grows with the square of the length: 2 MB at once took minutes. */
const RUN_CHARS_MAX = 4_000
const SPACE = 0x20

/** A run of the text, with what it costs. */
interface Piece {
  readonly text: string
  readonly tokens: number
}

/**
 * Splits a text into chunks of at most `tokensMax` tokens and `charsMax` characters, at the ends of paragraphs and
 * sentences where it can, else between words. Chunks of one text come out about equally long: a short last one would be
 * found for the wrong reasons. A text that fits is one chunk, exactly as it was; else white space between chunks is
 * dropped and nothing more.
 */
export function splitText(text: string, tokensMax: number, charsMax: number, countTokens: CountTokens): string[] {
  if (text.length <= charsMax && countTokens(text) <= tokensMax) return [text]
  // What is left in equal shares, reckoned anew for each chunk: pieces don't fill one to the token, and the differences
  // would add up in the last.
  const share = (left: number): number => left / Math.ceil(left / tokensMax)
  return pack(cut(text, tokensMax, charsMax, countTokens), tokensMax, charsMax, share)
    .map((chunk) => chunk.trim())
    .filter((chunk) => chunk !== "")
}

/** Sentences, and parts of those that are too long for a chunk of their own. */
function cut(text: string, tokensMax: number, charsMax: number, countTokens: CountTokens): Piece[] {
  const pieces: Piece[] = []
  for (const run of runs(text)) {
    for (const { segment } of sentences.segment(run)) {
      const tokens = countTokens(segment)
      if (tokens <= tokensMax && segment.length <= charsMax) pieces.push({ text: segment, tokens })
      else pieces.push(...cutSentence(segment, tokensMax, charsMax, countTokens))
    }
  }
  return pieces
}

/** The text in runs that the segmenter takes in good time, cut at white space where there is any. */
function* runs(text: string): Generator<string> {
  let start = 0
  while (text.length - start > RUN_CHARS_MAX) {
    let end = start + RUN_CHARS_MAX
    while (end > start && text.charCodeAt(end - 1) > SPACE) end--
    if (end === start) end = safeEnd(text, start + RUN_CHARS_MAX)
    yield text.slice(start, end)
    start = end
  }
  yield text.slice(start)
}

/** `end`, or one more where it would part a surrogate pair. */
function safeEnd(text: string, end: number): number {
  return (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end + 1 : end
}

/** Longest part of one word that stays whole: a token has at least one character. */
const WORD_CHARS_MAX = 200

function cutSentence(sentence: string, tokensMax: number, charsMax: number, countTokens: CountTokens): Piece[] {
  const parts: Piece[] = []
  for (const [word] of sentence.matchAll(/\S+\s*|\s+/g)) {
    for (const part of slices(word, Math.min(WORD_CHARS_MAX, tokensMax, charsMax))) {
      parts.push({ text: part, tokens: countTokens(part) })
    }
  }
  // Counted alone a word may cost more than within its sentence, so these add up to a little under the limit.
  const full = (): number => tokensMax
  return pack(parts, tokensMax, charsMax, full).map((part) => ({ text: part, tokens: countTokens(part) }))
}

/** Slices of at most `length` UTF-16 units or one more: a surrogate pair is never cut. */
function* slices(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = safeEnd(text, start + length)
    yield text.slice(start, end)
    start = end
  }
}

/** Joins pieces until a chunk has as many tokens as `share` gives it of those that are left, never over either limit. */
function pack(
  pieces: readonly Piece[],
  tokensMax: number,
  charsMax: number,
  share: (tokensLeft: number) => number,
): string[] {
  const chunks: string[] = []
  let left = pieces.reduce((sum, piece) => sum + piece.tokens, 0)
  let target = share(left)
  let chunk = ""
  let tokens = 0
  for (const piece of pieces) {
    const full = tokens + piece.tokens > tokensMax || chunk.length + piece.text.length > charsMax
    // Over the target by less than it is under it: the piece belongs here.
    const enough = tokens + piece.tokens / 2 > target
    if (chunk !== "" && (full || enough)) {
      chunks.push(chunk)
      left -= tokens
      target = share(left)
      chunk = ""
      tokens = 0
    }
    chunk += piece.text
    tokens += piece.tokens
  }
  if (chunk !== "") chunks.push(chunk)
  return chunks
}
