import type { OnAnswerEvent } from "../answer.ts"
import { citeText } from "../cite-sentences.ts"
import { citationOf, type Sources } from "../sources.ts"
import { NO_ANSWER } from "./prompts.ts"

/** Takes a text as it comes. */
interface TokenForwarder {
  push(piece: string): void
  /** The text is whole. */
  end(): void
}

/** Beyond it the rest comes with the whole answer: each piece is read with all that came before it. */
const FORWARDED_CHARS_MAX = 20_000
/** An open bracket that isn't closed within so many characters is no citation. */
const MARK_CHARS_MAX = 400

/**
 * Passes a text on while it is written, its citations mapped as those of the whole will be, and tells each passage when it
 * is first cited. What may still become a citation, blanks, or the sign that there is no answer, is held back until
 * that is clear. What is passed on is the beginning of the answer; one that a later piece would change isn't continued.
 */
export function forwardTokens(sources: Sources, onEvent: OnAnswerEvent): TokenForwarder {
  let text = ""
  let sent = ""
  const told = new Set<number>()

  function send(until: number): void {
    const { answer, cited } = citeText(text.slice(0, until).trimEnd(), sources)
    if (answer.length > sent.length && answer.startsWith(sent)) {
      onEvent({ type: "token", text: answer.slice(sent.length) })
      sent = answer
    }
    for (const index of cited) {
      const hit = sources[index]
      if (!hit || told.has(index)) continue
      told.add(index)
      onEvent({ type: "citation", citation: citationOf(hit) })
    }
  }

  return {
    push(piece) {
      text = (text + piece).trimStart()
      if (text.length > FORWARDED_CHARS_MAX) return
      const plain = bare(text)
      if (NO_ANSWER.startsWith(plain) || plain.startsWith(NO_ANSWER)) return
      send(settledEnd(text))
    },
    end: () => {
      if (!bare(text).startsWith(NO_ANSWER)) send(text.length)
    },
  }
}

/** A text without the quotes and stars that may stand before its first letter. */
const bare = (text: string): string => text.replace(/^[^\p{L}\p{N}]+/u, "")

/** Up to where a text's marks are whole: before its last brackets that are still open, or may be followed by another. */
function settledEnd(text: string): number {
  const tail = text.slice(-MARK_CHARS_MAX)
  const open = /\[[^\]]*$|\[\[[^\]]*\]?$|[(【]\s{0,3}(?:d(?:o(?:c[^)】]*)?)?)?$/iu.exec(tail)
  return open ? text.length - tail.length + open.index : text.length
}
