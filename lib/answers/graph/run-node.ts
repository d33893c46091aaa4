import type { AnswerStep } from "../response.ts"
import type { GraphNode, GraphRun } from "./graph-run.ts"
import type { AnswerState } from "./state.ts"

/** Runs one node between its two events, and notes the step. Throws the signal's reason when the caller has gone. */
export async function runNode(
  name: string,
  work: GraphNode,
  state: AnswerState,
  run: GraphRun,
): Promise<Partial<AnswerState>> {
  const { deadline, calls, onEvent, steps } = run
  const { signal } = deadline
  if (signal.aborted && signal.reason?.name !== "TimeoutError") throw signal.reason
  onEvent({ type: "step", node: name, status: "started" })
  const began = performance.now()
  const before = calls.usage()
  const { changes, label, inputs } = await work(state, run)
  const after = calls.usage()
  const step: AnswerStep = {
    node: name,
    ...(label !== undefined && { label }),
    ms: Math.round((performance.now() - began) * 10) / 10,
    ...(inputs && { inputs: { ...inputs } }),
    ...(after.calls > before.calls && {
      tokens: after.prompt_tokens + after.completion_tokens - before.prompt_tokens - before.completion_tokens,
    }),
  }
  steps.push(step)
  onEvent({ type: "step", node: name, status: "ended", step })
  return changes
}
