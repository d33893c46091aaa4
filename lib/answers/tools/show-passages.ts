import { asData } from "../../llm/as-data.ts"
import type { SearchHit } from "../../search/response.ts"
import { cutText } from "../cut-text.ts"
import type { ShownResult } from "./tool.ts"

/** Longest title that is shown, UTF-16 units. */
const TITLE_CHARS_MAX = 200
/** What each passage may have where not all fit in full. Less says nothing. */
const SHARE_CHARS_MIN = 400
/** Of the text, for the citations of what is left out. */
const LEFT_OUT_SHARE = 0.1

/**
 * Passages as JSON of at most `charsMax` characters: `{"passages": [{"cite", "title", "page", "text"}]}`, and what else
 * there is to say. Where they don't fit, long ones are cut, which `cut` says, and the last are left out, named by their
 * citations as far as there is room.
 */
export function showPassages(
  passages: readonly SearchHit[],
  charsMax: number,
  rest: Readonly<Record<string, unknown>> = {},
): ShownResult {
  const text = (shown: readonly object[], more: object) => asData({ passages: shown, ...more, ...rest })
  const full = passages.map((passage) => entryOf(passage, passage.content))
  const whole = text(full, {})
  if (whole.length <= charsMax) return { text: whole, passages }

  const room = charsMax - text([], { left_out: { count: passages.length, citations: [] } }).length
  const forNames = Math.floor(room * LEFT_OUT_SHARE)
  const share = Math.max(SHARE_CHARS_MIN, Math.floor((room - forNames) / passages.length))
  let left = room - forNames
  const shown: SearchHit[] = []
  const entries: object[] = []
  for (const passage of passages) {
    const entry = fitted(passage, Math.min(share, left))
    if (!entry) break
    left -= entry.length + 1
    entries.push(entry.shown)
    shown.push({ ...passage, content: entry.content })
  }
  const missing = passages.slice(shown.length)
  const leftOut = { count: missing.length, citations: namesOf(missing, forNames) }
  return { text: text(entries, missing.length > 0 ? { left_out: leftOut } : {}), passages: shown }
}

function entryOf({ citation, title, page }: SearchHit, content: string, isCut = false): object {
  return {
    cite: citation,
    title: cutText(title, TITLE_CHARS_MAX),
    ...(page !== undefined && { page }),
    text: content,
    ...(isCut && { cut: true }),
  }
}

/** A passage in at most `charsMax` characters of JSON; null where that would say nothing. */
function fitted(passage: SearchHit, charsMax: number) {
  const whole = entryOf(passage, passage.content)
  const wholeLength = asData(whole).length
  if (wholeLength <= charsMax) return { shown: whole, content: passage.content, length: wholeLength }
  const room = charsMax - asData(entryOf(passage, "…", true)).length
  if (room < SHARE_CHARS_MIN / 4) return null
  // Escapes make a text longer, six times at the most: each round takes off what the last was over, at that rate.
  for (let chars = room; chars > 0; ) {
    const content = cutText(passage.content, chars)
    const shown = entryOf(passage, content, true)
    const { length } = asData(shown)
    if (length <= charsMax) return { shown, content, length }
    chars -= Math.ceil((length - charsMax) / 6)
  }
  return null
}

function namesOf(passages: readonly SearchHit[], charsMax: number): string[] {
  const names: string[] = []
  let left = charsMax
  for (const { citation } of passages) {
    left -= asData(citation).length + 1
    if (left < 0) break
    names.push(citation)
  }
  return names
}
