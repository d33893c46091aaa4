import type { RewriteQuestion } from "./create-answer.ts"
import type { GraphRun } from "./graph/graph-run.ts"
import { runNode } from "./graph/run-node.ts"
import { startOf } from "./graph/state.ts"

/** Longest question that stands alone, tokens. */
const QUESTION_TOKENS_MAX = 500

/**
 * The question, or that of a conversation rewritten to stand alone, a step of its own before the graph's. Where the model
 * can't, the last message is taken as it is.
 */
export async function standaloneQuestion(run: GraphRun, rewrite: RewriteQuestion): Promise<string> {
  const { question, messages = [] } = run.request
  const last = question ?? messages.at(-1)?.content ?? ""
  if (question !== undefined || messages.length === 1) return last
  const { question: standing } = await runNode(
    "rewrite_question",
    async () => {
      const made = await run.calls.make(messages, QUESTION_TOKENS_MAX, async (signal) => {
        const { question: value, usage } = await rewrite(messages, signal)
        return { value, usage }
      })
      if (!made.ok) run.degraded.add(`messages: ${made.problem}; the last one was taken as it is`)
      const value = (made.ok && made.value.trim()) || last
      return { changes: { question: value }, inputs: { messages: messages.length } }
    },
    startOf(last),
    run,
  )
  return standing ?? last
}
