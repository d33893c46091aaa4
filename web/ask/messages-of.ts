import type { Turn } from "../../lib/answers/request.ts"
import { plainText } from "./answer-blocks.ts"
import type { AnswerView } from "./answer-view.ts"

/** What the API takes: messages of a conversation, and characters of each. */
const MESSAGES_MAX = 50
const CHARS_MAX = 8_000

/** An earlier question with what came of it. */
interface EarlierTurn {
  readonly question: string
  readonly view: AnswerView
}

/**
 * A conversation that ends in a question, as the API takes it: the latest turns, without citations. Turns of which
 * nothing came are left out.
 */
export function messagesOf(earlier: readonly EarlierTurn[], question: string): Turn[] {
  const messages = earlier.flatMap(({ question, view }): Turn[] => {
    const text = plainText(view.answer?.answer ?? view.draft).trim()
    if (text === "") return []
    return [
      { role: "user", content: question },
      { role: "assistant", content: text.slice(0, CHARS_MAX).toWellFormed() },
    ]
  })
  return [...messages.slice(-(MESSAGES_MAX - 2)), { role: "user", content: question }]
}
