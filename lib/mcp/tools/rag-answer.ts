import * as z from "zod"
import type { Answer } from "../../answers/answer.ts"
import { AnswerRequest, RETRIES_MAX, Turn } from "../../answers/request.ts"
import { type AnswerCitation, AnswerResponse } from "../../answers/response.ts"
import { StorableText } from "../../shapes.ts"
import type { McpTool } from "../mcp-tool.ts"

const QUESTION_CHARS_MAX = 8_000
const RETRIES = 2
/** Most messages before the question. */
const HISTORY_MAX = 20
/** Of a cited passage, beside the answer, UTF-16 units. */
const EXCERPT_CHARS = 400

const RagAnswerInput = z.strictObject({
  question: StorableText.refine((question) => question.trim() !== "", "must not be empty")
    .max(QUESTION_CHARS_MAX)
    .describe("A whole question, or one that `history` makes whole"),
  history: z
    .array(Turn)
    .max(HISTORY_MAX)
    .optional()
    .describe("Messages before the question, oldest first, where it needs them to be understood"),
  max_retries: z
    .int()
    .min(0)
    .max(RETRIES_MAX)
    .default(RETRIES)
    .describe("How often an answer that its passages don't bear out, or that is of no use, is tried anew"),
})

/** An answer of the Self-RAG graph, each sentence with its proof. */
export function createRagAnswer(answer: Answer, { timeoutMs }: Pick<McpTool, "timeoutMs">): McpTool {
  return {
    name: "rag_answer",
    title: "Answer a question with proof",
    description:
      "Answers a question from the documents: retrieves, grades, writes, and checks the answer against its passages. Every claim carries a citation like [[doc/p007#c0042]]. Says so where nothing answers the question. Takes seconds; sends each step as progress.",
    scope: "search",
    input: RagAnswerInput,
    output: AnswerResponse,
    timeoutMs,
    // A language model's words differ from call to call.
    isRepeatable: false,
    async call(tenant, input: z.output<typeof RagAnswerInput>, deadline, onEvent) {
      const response = await answer(tenant, AnswerRequest.parse(askedOf(input)), deadline, onEvent)
      const { citations, degraded } = response
      return { data: response, text: textOf(response), sources: citations, degraded }
    },
  }
}

/** With a history, the conversation that ends in the question. */
function askedOf({ question, history = [], max_retries }: z.output<typeof RagAnswerInput>) {
  if (history.length === 0) return { question, max_retries }
  return { messages: [...history, { role: "user", content: question }], max_retries }
}

function textOf({ answer, citations, support, refused }: AnswerResponse): string {
  const proof = support === null ? "" : `Support: ${support.replaceAll("_", " ")}.`
  const verdict = refused ? "Refused: nothing that was found answers the question." : proof
  const sources = citations.map((citation, index) => sourceText(citation, index + 1))
  return [answer, verdict, sources.length > 0 ? `Sources:\n${sources.join("\n")}` : ""].filter(Boolean).join("\n\n")
}

function sourceText({ citation, title, page, content }: AnswerCitation, number: number): string {
  const excerpt = content.length > EXCERPT_CHARS ? `${content.slice(0, EXCERPT_CHARS).toWellFormed()}…` : content
  const place = page === undefined ? title : `${title}, page ${page}`
  return `${number}. ${citation} ${place}\n   ${excerpt.replace(/\s+/g, " ")}`
}
