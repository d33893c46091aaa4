import { cutText } from "./cut-text.ts"
import type { Turn } from "./request.ts"

/** Longest of what was said earlier that a model is shown, UTF-16 units, and of one message of it. */
const CHARS_MAX = 4_000
const TURN_CHARS_MAX = 1_500

/** The latest of a conversation's turns, in order, for a prompt: long ones are cut, and what doesn't fit is left out. */
export function latestTurns(turns: readonly Turn[]): { readonly role: Turn["role"]; readonly text: string }[] {
  const shown: { role: Turn["role"]; text: string }[] = []
  let left = CHARS_MAX
  for (const { role, content } of [...turns].reverse()) {
    const text = cutText(content, TURN_CHARS_MAX)
    left -= text.length
    if (left < 0) break
    shown.unshift({ role, text })
  }
  return shown
}
