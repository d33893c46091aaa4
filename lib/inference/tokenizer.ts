/** One input of a model: its token ids with the special tokens around and between the texts. */
export interface TokenSequence {
  readonly ids: readonly number[]
  /** The segment of each token: 0, or 1 for the second text of a pair (in models that tell them apart). */
  readonly types: readonly number[]
  /** Where the tokens of the (last) text stand within `ids`, end excluded: without special tokens. */
  readonly textStart: number
  readonly textEnd: number
  /** Whether the text was too long, so that its tail is missing. */
  readonly isTruncated: boolean
}

/** Turns text into what a model reads. */
export interface Tokenizer {
  /** Longest sequence, special tokens counted. */
  readonly maxTokens: number
  /** Tokens of the text, without special tokens. */
  count(text: string): number
  /** `tokensMax`: a shorter limit than the model's, special tokens counted. */
  single(text: string, tokensMax?: number): TokenSequence
  /** The pair that a cross-encoder reads. A query keeps at most half of the room; then the passage loses its tail. */
  pair(query: string): (passage: string) => TokenSequence
}

/** Encodes a text, or a pair of texts, with or without special tokens; never cuts. */
export type Encode = (
  text: string,
  options: { pair?: string; specialTokens: boolean },
) => { ids: readonly number[]; types?: readonly number[] | undefined }

/** Characters a token of ordinary text has at most, generously: longer texts are first tried by a prefix. */
const CHARACTERS_PER_TOKEN_MAX = 16

/**
 * A tokenizer that cuts texts to length itself: transformers.js cuts the finished sequence, which loses the closing
 * special token that models were trained with. The special tokens are learnt from `encode` on sample texts.
 */
export function createTokenizer(encode: Encode, maxTokens: number): Tokenizer {
  const special = specialTokens(encode)
  const singleRoom = maxTokens - special.before.ids.length - special.after.ids.length
  const pairRoom = singleRoom - special.between.ids.length

  /** The text's first tokens, at most `room` of them. A 2 MB text takes as long as its first few thousand characters. */
  function tokens(text: string, room: number): { ids: readonly number[]; isTruncated: boolean } {
    const head = prefixAtSpace(text, room * CHARACTERS_PER_TOKEN_MAX)
    let { ids } = encode(head, { specialTokens: false })
    if (ids.length <= room && head.length < text.length) ids = encode(text, { specialTokens: false }).ids
    return ids.length > room ? { ids: ids.slice(0, room), isTruncated: true } : { ids, isTruncated: false }
  }

  return {
    maxTokens,
    count: (text) => encode(text, { specialTokens: false }).ids.length,
    single(text, tokensMax = maxTokens) {
      const { ids, isTruncated } = tokens(text, singleRoom - Math.max(0, maxTokens - tokensMax))
      const start = special.before.ids.length
      return {
        ids: [...special.before.ids, ...ids, ...special.after.ids],
        types: [...special.before.types, ...ids.map(() => special.firstType), ...special.after.types],
        textStart: start,
        textEnd: start + ids.length,
        isTruncated,
      }
    },
    pair(query) {
      const { before, between, pairAfter } = special
      const first = tokens(query, Math.floor(pairRoom / 2)).ids
      const start = before.ids.length + first.length + between.ids.length
      const startTypes = [...before.types, ...first.map(() => special.firstType), ...between.types]
      return (passage) => {
        const { ids, isTruncated } = tokens(passage, pairRoom - first.length)
        return {
          ids: [...before.ids, ...first, ...between.ids, ...ids, ...pairAfter.ids],
          types: [...startTypes, ...ids.map(() => special.secondType), ...pairAfter.types],
          textStart: start,
          textEnd: start + ids.length,
          isTruncated,
        }
      }
    },
  }
}

interface Special {
  readonly ids: readonly number[]
  readonly types: readonly number[]
}

/** What a model puts around one text, and around and between two: `[CLS] a [SEP]`, `<s> a </s></s> b </s>`. */
function specialTokens(encode: Encode) {
  const sample = "a"
  const text = encode(sample, { specialTokens: false }).ids
  const single = withTypes(encode(sample, { specialTokens: true }))
  const start = single.ids.findIndex((_, at) => text.every((id, i) => single.ids[at + i] === id))
  if (start < 0 || text.length === 0) throw new Error("the tokenizer changes a text when it adds its special tokens")
  const pair = withTypes(encode(sample, { pair: sample, specialTokens: true }))
  const after = part(single, start + text.length)
  const pairAfterStart = pair.ids.length - after.ids.length
  const secondStart = pairAfterStart - text.length
  return {
    before: part(single, 0, start),
    after,
    between: part(pair, start + text.length, secondStart),
    pairAfter: part(pair, pairAfterStart),
    firstType: single.types[start] ?? 0,
    secondType: pair.types[secondStart] ?? 0,
  }
}

function withTypes({ ids, types }: ReturnType<Encode>): Special {
  return { ids, types: types ?? ids.map(() => 0) }
}

function part({ ids, types }: Special, start: number, end?: number): Special {
  return { ids: ids.slice(start, end), types: types.slice(start, end) }
}

/** The text's first characters up to a white space, so that no word is cut in two; all of it when it is not longer. */
function prefixAtSpace(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text
  const head = text.slice(0, charactersMax)
  const end = head.search(/\s\S*$/)
  return end > 0 ? head.slice(0, end) : text
}
