import type { TextDraft } from "./draft.ts"
import type { Line } from "./lines.ts"

/** Words of one pitch that are code rather than chance. */
const WORDS_MIN = 4
/** Pitches of one font agree within this share. */
const PITCH_WITHIN = 0.012
/** Letters of monospaced fonts are about this wide for their size: Courier .6, narrow ones .5. */
const PITCH_SHARE_MIN = 0.45
const PITCH_SHARE_MAX = 0.7
/** Words without letters that a line of code may have alone: `}`, `0 0`. */
const SIGNS_MAX = 3
/** A gap of so many lines ends it. */
const LEADING_MAX = 2.6

/** Runs of lines, and what is monospaced among them: code, listings and terminal sessions, which keep their lines. */
export function splitCode(lines: readonly Line[]): (readonly Line[] | TextDraft)[] {
  const parts: (readonly Line[] | TextDraft)[] = []
  let start = 0
  for (let at = 0; at < lines.length; ) {
    const code = takeCode(lines, at)
    if (code) {
      if (at > start) parts.push(lines.slice(start, at))
      parts.push({ kind: "text", form: "code", parts: code.map((line) => [line]) })
      start = at + code.length
    }
    at += code?.length ?? 1
  }
  if (start < lines.length) parts.push(lines.slice(start))
  return parts
}

/** The monospaced lines from `from` on. Null for none. */
function takeCode(lines: readonly Line[], from: number): Line[] | null {
  const first = lines[from]
  if (!first || !looksMonospaced(first)) return null
  const taken: Line[] = []
  let words = 0
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]
    const above = lines[at - 1]
    if (!line || !(goesOn(line) || (looksMonospaced(line) && samePitch(first, line)))) break
    if (above && at > from && line.baseline - above.baseline > LEADING_MAX * line.fontSize) break
    taken.push(line)
    words += line.words.filter((word) => /\p{L}/u.test(word.text)).length
  }
  return words >= WORDS_MIN ? taken : null
}

/** A bracket or a figure on a line of its own. */
function goesOn({ pitch, words }: Line): boolean {
  return pitch === null && words.length <= SIGNS_MAX && words.every((word) => !/\p{L}/u.test(word.text))
}

function looksMonospaced({ pitch, fontSize }: Line): boolean {
  return pitch !== null && pitch >= PITCH_SHARE_MIN * fontSize && pitch <= PITCH_SHARE_MAX * fontSize
}

function samePitch(a: Line, b: Line): boolean {
  return a.pitch !== null && b.pitch !== null && Math.abs(a.pitch - b.pitch) <= PITCH_WITHIN * a.pitch
}
