import { plainText } from "./answer-blocks.ts"
import type { AnswerView } from "./answer-view.ts"
import { turns } from "./conversation.ts"

/** Of an answer, as much as is read out unasked. */
const CHARS_MAX = 1_200

/** Says to who listens that an answer is being made, and once, when it is there, the answer; never each word. */
export function Announcement() {
  const last = turns.value.at(-1)
  return (
    <p class="visually-hidden" role="status">
      {last && wordsOf(last.view.value)}
    </p>
  )
}

function wordsOf({ phase, answer }: AnswerView): string {
  if (phase === "asking") return "The answer is being made."
  if (phase === "stopped") return "Stopped."
  // A failure is an alert of its own.
  if (!answer) return ""
  const text = plainText(answer.answer)
  const said =
    text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX).toWellFormed()} … The rest stands on the page.` : text
  return answer.refused ? said : `Answer: ${said}`
}
