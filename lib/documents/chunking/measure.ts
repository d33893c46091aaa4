import { CHUNK_CHARS_MAX } from "../index-request.ts"
import type { CountTokens } from "../split-text.ts"
import { type Size, UNIT_CHARS_MAX } from "./unit.ts"

/** How chunks are cut. */
export interface ChunkOptions {
  /** The model reads it before every chunk. */
  readonly title: string
  /** The most that the model reads of a text; null without a model. */
  readonly tokensMax: number | null
  /** Without parents. */
  readonly flat: boolean
  /** Characters of a child, null to count about 256 tokens. */
  readonly chunkChars: number | null
  /** Characters at the start of a child that the one before ends with; only with `chunkChars`, at most half of it. */
  readonly overlapChars: number
  /** Characters of a parent, null to count about 1,024 tokens. */
  readonly parentChars: number | null
}

/** Tokens of a child, title and headings included, as in `prepare-document.ts`. */
const CHILD_TOKENS = 256
const PARENT_TOKENS = 1_024
/** Up to here a document without tables is one chunk, as in `prepare-document.ts`. */
const WHOLE_TOKENS = 400
/** What a long title and long headings leave to a child at the least. */
const CHILD_TOKENS_MIN = 64
/** [CLS], [SEP] and the newline's share. */
const SPECIAL_TOKENS = 3
/** An empty line between two blocks. */
const SEPARATOR_CHARS = 2
/** Words of the model at most; some tokenizers count an empty line. */
const SEPARATOR_TOKENS = 1

/** Costs of texts and the limits of chunks, in tokens or characters. */
export interface Measure {
  size(text: string): Size
  /** What a heading path costs in the child's unit: nothing where characters are counted. */
  pathCost(path: readonly string[]): number
  /** What joins a unit to the one before it. */
  readonly separator: Size
  /** Of a child's text, before the path's cost is taken off. */
  readonly childMax: number
  /** That at least is left of `childMax`. */
  readonly childMin: number
  readonly parentMax: number
  /** A document of at most so much is one chunk; 0 where characters are counted. */
  readonly wholeMax: number
}

/** The measure that the options ask for. */
export function createMeasure(options: ChunkOptions, countTokens: CountTokens): Measure {
  const { chunkChars, overlapChars, parentChars, tokensMax } = options
  const overhead = SPECIAL_TOKENS + countTokens(options.title)
  const room = (tokens: number): number => Math.max(CHILD_TOKENS_MIN, Math.min(tokensMax ?? tokens, tokens) - overhead)
  const byTokens = chunkChars === null
  const parentByTokens = parentChars === null
  const childMax = byTokens ? room(CHILD_TOKENS) : Math.max(1, chunkChars - overlapSpace(overlapChars))
  return {
    size: (text) => {
      const tokens = byTokens || parentByTokens ? countTokens(text) : 0
      return {
        child: byTokens ? tokens : text.length,
        parent: parentByTokens ? tokens : text.length,
        chars: text.length,
      }
    },
    pathCost: (path) => (byTokens && path.length > 0 ? countTokens(path.join("\n")) + SEPARATOR_TOKENS : 0),
    separator: {
      child: byTokens ? SEPARATOR_TOKENS : SEPARATOR_CHARS,
      parent: parentByTokens ? SEPARATOR_TOKENS : SEPARATOR_CHARS,
      chars: SEPARATOR_CHARS,
    },
    childMax,
    childMin: byTokens ? CHILD_TOKENS_MIN : childMax,
    parentMax: parentByTokens ? PARENT_TOKENS : Math.min(parentChars, CHUNK_CHARS_MAX),
    wholeMax: byTokens ? room(WHOLE_TOKENS) : 0,
  }
}

function overlapSpace(overlapChars: number): number {
  return overlapChars > 0 ? overlapChars + SEPARATOR_CHARS : 0
}

/** What a child's text may cost under these headings. */
export function childRoom(measure: Measure, pathCost: number): number {
  return Math.max(Math.min(measure.childMin, measure.childMax), measure.childMax - pathCost)
}

/**
 * What a text takes of `max`, the child's: the largest of its shares of a child, of half a parent, which may have
 * headings too, and of the characters of a unit.
 */
export function costOf({ child, parent, chars }: Size, max: number, { parentMax }: Measure): number {
  return Math.max(child, (parent * max) / (parentMax / 2), (chars * max) / UNIT_CHARS_MAX)
}

/** The sum of sizes. */
export function addSizes(...sizes: readonly Size[]): Size {
  let [child, parent, chars] = [0, 0, 0]
  for (const size of sizes) {
    child += size.child
    parent += size.parent
    chars += size.chars
  }
  return { child, parent, chars }
}
