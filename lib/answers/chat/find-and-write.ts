import type { Deadline } from "../../deadline.ts"
import { type AppError, invalidField } from "../../errors.ts"
import { type ChatModel, type ToolCall, type ToolMessage, type ToolReply, UselessReply } from "../../llm/chat-model.ts"
import { jsonSchemaOf } from "../../llm/json-schema-of.ts"
import type { SearchHit } from "../../search/response.ts"
import type { ChatRequest } from "../request.ts"
import type { Tool } from "../tools/tool.ts"
import { openingMessages, questionOf } from "./conversation.ts"
import type { Ledger } from "./ledger.ts"
import { createRoom, type Room } from "./room.ts"
import { runToolCall, type ToolOutcome } from "./run-tool-call.ts"
import type { Stepper } from "./stepper.ts"

interface FindDeps {
  readonly llm: ChatModel
  readonly tools: readonly Tool[]
  /** Of the whole chat. */
  readonly tokensMax: number
  readonly ledger: Ledger
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
  const { llm, tools, tokensMax, ledger } = deps
  const { question, earlier } = questionOf(request)
  const room = createRoom(llm.replyTokensMax, tokensMax)
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
    if (!room.canAsk(prompt, ledger.tokens())) {
      return written(null, [`answer: the limit of ${tokensMax} tokens a request was reached`])
    }
    const mayCall = callsLeft > 0 && room.canCall(prompt, ledger.tokens())
    const reply = await askModel(deps, room, messages, mayCall)
    if (reply.toolCalls.length === 0) return written(reply.text)
    const results = room.resultsOf(prompt + JSON.stringify(reply), Math.min(callsLeft, reply.toolCalls.length))
    // Calls beyond the limit are as if they had not been made: each that is kept needs an answer.
    const calls = reply.toolCalls.slice(0, results.calls)
    callsLeft -= calls.length
    const found = await Promise.all(calls.map((call) => runStep(deps, call, results.bytesMax)))
    outcomes.push(...found)
    messages.push({ role: "assistant", text: reply.text, toolCalls: calls })
    for (const [i, { id }] of calls.entries()) {
      const content = `{"calls_left":${callsLeft},"result":${found[i]?.text}}`
      messages.push({ role: "tool", callId: id, content })
    }
  }
}

async function askModel(
  { llm, tools, ledger, stepper, deadline }: FindDeps,
  room: Room,
  messages: readonly ToolMessage[],
  mayCall: boolean,
): Promise<ToolReply> {
  ledger.check()
  const question = {
    messages,
    tools: mayCall ? tools : [],
    maxTokens: room.replyTokens,
    signal: deadline.signal,
  }
  const ask = async (): Promise<ToolReply> => {
    try {
      const reply = await llm.callTools(question)
      await ledger.take(reply.usage)
      return reply
    } catch (error) {
      if (error instanceof UselessReply) await ledger.take(error.usage)
      throw error
    }
  }
  return stepper.run("agent", ask, ({ toolCalls, usage }) => ({
    label: toolCalls.length > 0 ? "calls" : "answers",
    inputs: { messages: messages.length },
    tokens: usage.promptTokens + usage.completionTokens,
  }))
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
  const missing = failures.length > 0 ? [`tools: ${failures.length} calls failed`] : []
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
