import type { OnAnswerEvent } from "../answer.ts"
import type { AnswerCitation } from "../response.ts"

/** Words of one piece. */
const WORDS = 8

/**
 * Tells of an answer that is there in whole as if it were being written: pieces that together are the answer, and each
 * citation just before its passage is first named. Only what was checked is ever sent.
 */
export function emitAnswer(
  { answer, citations }: { readonly answer: string; readonly citations: readonly AnswerCitation[] },
  onEvent: OnAnswerEvent | undefined,
): void {
  if (!onEvent) return
  const known = new Map(citations.map((citation) => [citation.citation, citation]))
  for (const part of answer.split(/(\[\[[^[\]]*\]\])/)) {
    const citation = known.get(part)
    if (citation && known.delete(part)) onEvent({ type: "citation", citation })
    for (const text of citation || part.startsWith("[[") ? [part] : piecesOf(part)) {
      if (text !== "") onEvent({ type: "token", text })
    }
  }
}

const piecesOf = (text: string): string[] => text.match(new RegExp(`(?:\\s*\\S+){1,${WORDS}}\\s*|\\s+`, "g")) ?? []
