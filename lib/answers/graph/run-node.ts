import { tokensOf } from "../model-calls.ts"
import type { GraphNode, GraphRun } from "./graph-run.ts"
import type { AnswerState } from "./state.ts"

/** Runs one node between its two events, and notes the step. Throws the signal's reason when the caller has gone. */
export async function runNode(
  name: string,
  work: GraphNode,
  state: AnswerState,
  run: GraphRun,
): Promise<Partial<AnswerState>> {
  const { deadline, calls, stepper } = run
  const { signal } = deadline
  if (signal.aborted && signal.reason?.name !== "TimeoutError") throw signal.reason
  const before = calls.usage()
  const { changes } = await stepper.run(
    name,
    () => work(state, run),
    ({ label, inputs }) => {
      const after = calls.usage()
      return { label, inputs, tokens: after.calls > before.calls ? tokensOf(after) - tokensOf(before) : undefined }
    },
  )
  return changes
}
