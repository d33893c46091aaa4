import type { ChatUsage } from "../llm/chat-model.ts"
import { estimateTokens } from "../llm/estimate-tokens.ts"
import type { GraphRun } from "./graph/graph-run.ts"
import { SYSTEM } from "./graph/prompts.ts"
import { runNode } from "./graph/run-node.ts"
import { startOf } from "./graph/state.ts"
import { latestTurns } from "./latest-turns.ts"
import type { Turn } from "./request.ts"
import { REWRITTEN_TOKENS_MAX, type RewriteQuestion, rewriteByRule } from "./rewrite-question.ts"

/**
 * The question, or that of a conversation rewritten to stand alone, a step of its own before the graph's. Where the model
 * can't, it is rewritten by rule.
 */
export async function standaloneQuestion(run: GraphRun, rewrite: RewriteQuestion): Promise<string> {
  const { question, messages = [] } = run.request
  const last = question ?? messages.at(-1)?.content ?? ""
  if (question !== undefined || messages.length === 1) return last
  const { question: standing } = await runNode(
    "rewrite_question",
    async () => {
      const made = await run.calls.make(rewritingTokens(messages), REWRITTEN_TOKENS_MAX, async (signal) => {
        const { usage, ...value } = await rewrite(messages, signal)
        return { value, usage: usage ?? NO_USAGE }
      })
      const degraded = made.ok ? made.value.degraded : `rewriting: ${made.problem}`
      if (degraded !== undefined) run.degraded.add(degraded)
      const changes = { question: made.ok ? made.value.question : rewriteByRule(messages) }
      return { changes, inputs: { messages: messages.length } }
    },
    startOf(last),
    run,
  )
  return standing ?? last
}

const NO_USAGE: ChatUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, isEstimated: false }

/** Of the rewriting's task and shape. */
const TASK_TOKENS = 300

/** What the model is asked for it: of what was said earlier it is shown the latest alone. */
function rewritingTokens(messages: readonly Turn[]): number {
  const shown = latestTurns(messages.slice(0, -1)).map(({ text }) => text)
  return TASK_TOKENS + estimateTokens([SYSTEM, ...shown, messages.at(-1)?.content ?? ""].join("\n"))
}
