import { GRADE_TOKENS, UsefulnessGrade } from "./grades.ts"
import type { GraphNode } from "./graph-run.ts"
import { messagesFor } from "./prompts.ts"

/** Whether the draft answers the question. A generator that found no answer has judged that itself. */
export const usefulnessGrader: GraphNode = async ({ question, draft }, { calls, degraded }) => {
  if (draft === null) return { changes: { isUseful: false }, label: "not_useful", inputs: { characters: 0 } }
  const answer = draft.sentences.map(({ text }) => text).join(" ")
  const asked = await calls.ask({
    name: "UsefulnessGrade",
    schema: UsefulnessGrade,
    messages: messagesFor({ task: "usefulness", question, material: { answer } }),
    maxTokens: GRADE_TOKENS,
  })
  if (!asked.ok) degraded.add(`usefulness_grader: ${asked.problem}; whether the answer is useful was not judged`)
  const label = asked.ok ? asked.value.label : null
  return {
    changes: { isUseful: label === null ? null : label === "useful" },
    label: label ?? "not judged",
    inputs: { characters: answer.length },
  }
}
