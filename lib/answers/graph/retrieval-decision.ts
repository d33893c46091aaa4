import { GRADE_TOKENS, RetrievalDecision } from "./grades.ts"
import type { GraphNode } from "./graph-run.ts"
import { messagesFor } from "./prompts.ts"

/** Whether the question needs the documents. Where the request says so, or the model can't, it isn't asked or heeded. */
export const retrievalDecision: GraphNode = async ({ question }, { request, calls, degraded }) => {
  const inputs = { characters: question.length }
  if (request.retrieval !== "auto") {
    return { changes: { searches: request.retrieval === "always" }, label: request.retrieval, inputs }
  }
  const asked = await calls.ask({
    name: "RetrievalDecision",
    schema: RetrievalDecision,
    messages: messagesFor({ task: "decide", question }),
    maxTokens: GRADE_TOKENS,
  })
  if (!asked.ok) degraded.add(`retrieval_decision: ${asked.problem}; the documents were searched`)
  const answer = asked.ok ? asked.value.answer : "YES"
  return { changes: { searches: answer === "YES" }, label: answer, inputs }
}
