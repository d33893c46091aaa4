import type { Deadline } from "../../deadline.ts"
import { AppError, invalidField } from "../../errors.ts"
import type { ToolCall, ToolMessage, ToolQuestion, ToolReply } from "../../llm/chat-model.ts"
import { estimateTokens } from "../../llm/estimate-tokens.ts"
import { jsonSchemaOf } from "../../llm/json-schema-of.ts"
import type { SearchHit } from "../../search/response.ts"
import { type ModelCalls, tokensOf } from "../model-calls.ts"
import type { ChatRequest } from "../request.ts"
import type { Stepper } from "../stepper.ts"
import type { Tool } from "../tools/tool.ts"
import { openingMessages, questionOf } from "./conversation.ts"
import { createRoom, type Room } from "./room.ts"
import { runToolCall, type ToolOutcome } from "./run-tool-call.ts"

interface FindDeps {
  readonly calls: ModelCalls
  readonly tools: readonly Tool[]
  /** Of the whole chat. */
  readonly tokensMax: number
  readonly stepper: Stepper
  readonly deadline: Deadline
  readonly tenant: string
}

/** What the model wrote in the end, and what its tools returned before. */
export interface Written {
  /** Null: the tokens of the chat did not last for an answer. */
  readonly text: string | null
  /** Everything that was shown to it, each passage once. */
  readonly passages: readonly SearchHit[]
  /** Whether a tool looked. */
  readonly retrieved: boolean
  /** Of tools that could not do their work. */
  readonly failures: readonly AppError[]
  readonly degraded: readonly string[]
}

/**
 * Lets the model call tools until it writes, its calls are used up, or no further result fits; the last call offers no
 * tools. Throws `invalid_request` for a question that is too long for the model, and as `ChatModel.callTools` and
 * `runToolCall` do.
 */
export async function findAndWrite(deps: FindDeps, request: ChatRequest): Promise<Written> {
  const { calls, tools, tokensMax } = deps
  const { question, earlier } = questionOf(request)
  const room = createRoom(calls.llm.replyTokensMax, tokensMax)
  const messages: ToolMessage[] = [...openingMessages(question, earlier)]
  const offered = JSON.stringify(tools.map(({ name, description, input }) => [name, description, jsonSchemaOf(input)]))
  const outcomes: ToolOutcome[] = []
  const written = (text: string | null, degraded: readonly string[] = []) => writtenOf(text, outcomes, degraded)
  for (let callsLeft = request.max_calls; ; ) {
    const prompt = JSON.stringify(messages) + offered
    if (!room.fitsContext(prompt)) {
      if (outcomes.length === 0) throw invalidField("question", "is too long for the context of the language model")
      return written(null, ["answer: what was found is too long for the context of the language model"])
    }
    const limit = room.callLimit(prompt, tokensOf(calls.usage()))
    // Whatever the model wrote without a search could cite nothing.
    if (limit !== null && outcomes.length === 0) return written(null, [`answer: ${limit} leaves no room for a search`])
    const mayCall = callsLeft > 0 && limit === null
    const asked = await askModel(deps, room, { messages, tools: mayCall ? tools : [] }, estimateTokens(prompt))
    if ("over" in asked) return written(null, [`answer: ${asked.over}`])
    const { reply } = asked
    if (reply.toolCalls.length === 0) return written(reply.text)
    const results = room.resultsOf(prompt + JSON.stringify(reply), Math.min(callsLeft, reply.toolCalls.length))
    // Calls beyond the limit are as if they had not been made: each that is kept needs an answer.
    const made = reply.toolCalls.slice(0, results.calls)
    callsLeft -= made.length
    const found = await Promise.all(made.map((call) => runStep(deps, call, results.bytesMax)))
    outcomes.push(...found)
    messages.push({ role: "assistant", text: reply.text, toolCalls: made })
    for (const [i, { id }] of made.entries()) {
      const content = `{"calls_left":${callsLeft},"result":${found[i]?.text}}`
      messages.push({ role: "tool", callId: id, content })
    }
  }
}

/** The model's next message, or which limit of tokens keeps it from one. */
async function askModel(
  { calls, stepper }: FindDeps,
  room: Room,
  { messages, tools }: Pick<ToolQuestion, "messages" | "tools">,
  prompt: number,
): Promise<{ readonly reply: ToolReply } | { readonly over: string }> {
  const before = calls.usage()
  const outcome = await stepper.run(
    "agent",
    () =>
      calls.make(prompt, room.replyTokens, async (signal) => {
        const reply = await calls.llm.callTools({ messages, tools, maxTokens: room.replyTokens, signal })
        return { value: reply, usage: reply.usage }
      }),
    (made) => ({
      label: made.ok ? (made.value.toolCalls.length > 0 ? "calls" : "answers") : made.kind,
      inputs: { messages: messages.length },
      tokens: tokensOf(calls.usage()) - tokensOf(before),
    }),
  )
  if (outcome.ok) return { reply: outcome.value }
  if (outcome.kind === "over") return { over: outcome.problem }
  throw new AppError(outcome.kind === "late" ? "deadline_exceeded" : "inference_unavailable", `${outcome.problem}.`)
}

/** The model's own name for a tool that isn't there may be anything, and goes nowhere. */
function runStep({ tools, stepper, tenant, deadline }: FindDeps, call: ToolCall, bytesMax: number) {
  const node = tools.some(({ name }) => name === call.name) ? call.name : "unknown_tool"
  return stepper.run(
    node,
    () => runToolCall(tools, call, { tenant, deadline, bytesMax }),
    ({ label, passages, text }) => ({ label, inputs: { passages: passages.length, characters: text.length } }),
  )
}

function writtenOf(text: string | null, outcomes: readonly ToolOutcome[], degraded: readonly string[]): Written {
  const passages = new Map<string, SearchHit>()
  for (const passage of outcomes.flatMap((outcome) => outcome.passages)) {
    passages.set(passage.citation, merged(passages.get(passage.citation), passage))
  }
  const failures = outcomes.flatMap(({ failure }) => (failure ? [failure] : []))
  const missing = failures.length > 0 ? [`tools: ${failures.length} of ${outcomes.length} calls failed`] : []
  return {
    text,
    passages: [...passages.values()],
    retrieved: outcomes.some(({ label }) => label === "found" || label === "nothing"),
    failures,
    degraded: [...new Set([...outcomes.flatMap((outcome) => outcome.degraded ?? []), ...missing, ...degraded])],
  }
}

/** A passage that was shown twice: as it was shown at greater length, with the score of the search. */
function merged(before: SearchHit | undefined, passage: SearchHit): SearchHit {
  if (!before) return passage
  const longer = passage.content.length > before.content.length ? passage : before
  const { score, rrf_score } = before.score > passage.score ? before : passage
  return { ...longer, score, rrf_score }
}
