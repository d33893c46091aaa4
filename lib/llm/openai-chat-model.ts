import * as z from "zod"
import type { InferenceService } from "../inference/inference-service.ts"
import { type ChatMessage, type ChatModel, type ChatPart, type ChatUsage, UselessReply } from "./chat-model.ts"
import { estimateTokens } from "./estimate-tokens.ts"
import { jsonSchemaOf } from "./json-schema-of.ts"
import { readCompletion } from "./read-completion.ts"
import { TokenCounts } from "./token-counts.ts"
import { toolBody, toolCallsIn, WireToolCall } from "./tool-wire.ts"

interface OpenAiChatOptions {
  readonly service: InferenceService
  /** As the service calls it: `openai/gpt-4.1-mini` at OpenRouter. */
  readonly model: string
  /** 0 for the likeliest answer, up to 2. */
  readonly temperature: number
  /** Longest answer of one call, tokens. */
  readonly replyTokensMax: number
  /** More fields of every request, those that one service alone knows. */
  readonly extraBody?: Readonly<Record<string, unknown>>
}

/** What a picture is taken to cost where the server doesn't say: OpenAI's models count about 1,000 for 1,024 by 1,024 pixels. */
const IMAGE_TOKENS = 1_000

const Completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          tool_calls: z.array(WireToolCall).nullish(),
        }),
      }),
    )
    .min(1),
  usage: TokenCounts.nullish(),
})

/**
 * A model behind the `/chat/completions` route of an OpenAI-compatible service (vLLM, OpenRouter, Ollama, OpenAI). The
 * shape goes along as `response_format` `json_schema`, strict; a server that ignores it is caught by the check of the
 * answer.
 */
export function createOpenAiChatModel(options: OpenAiChatOptions): ChatModel {
  const { service, model, temperature, replyTokensMax, extraBody } = options
  const bodyOf = (own: object, maxTokens = replyTokensMax) => ({
    model,
    temperature,
    max_tokens: Math.min(maxTokens, replyTokensMax),
    ...own,
    ...extraBody,
  })
  const uselessWith =
    (usage: ChatUsage): Useless =>
    (problem, cause) =>
      new UselessReply(model, problem, usage, cause)

  /** One call: what the model said, what it took, and how to say that it is of no use. */
  async function complete(own: object, prompt: () => number, { maxTokens, signal }: Limits) {
    const { choices, usage: counts } = await service.post(ROUTE, bodyOf(own, maxTokens), Completion, signal)
    const { finish_reason: finishReason, message } = choices[0] ?? {}
    const calls = message?.tool_calls ?? []
    const said = (message?.content ?? "") + (calls.length > 0 ? JSON.stringify(calls) : "")
    const usage = usageOf(counts, prompt, said)
    const useless = uselessWith(usage)
    return { text: checkedText({ ...message, finishReason }, useless, maxTokens), calls, usage, useless }
  }

  return {
    model,
    replyTokensMax,
    async ask({ messages, name, schema, ...limits }) {
      const json_schema = { name, strict: true, schema: jsonSchemaOf(schema) }
      const own = { messages: messages.map(messageToWire), response_format: { type: "json_schema", json_schema } }
      const { text, usage, useless } = await complete(own, () => promptTokens(messages), limits)
      if (text === "") throw useless(NOTHING)
      const parsed = schema.safeParse(parseJson(text, useless))
      if (!parsed.success) throw useless("answered in another shape than asked for", parsed.error)
      return { value: parsed.data, usage }
    },
    async callTools({ messages, tools, ...limits }) {
      const own = toolBody(messages, tools, messageToWire)
      const { text, calls, usage, useless } = await complete(own, () => estimateTokens(JSON.stringify(own)), limits)
      // Where none may be called any more, a call in the text is no part of an answer either.
      const reply = tools.length > 0 ? toolCallsIn(text, calls) : { ...toolCallsIn(text, []), toolCalls: [] }
      if (reply.text.trim() === "" && reply.toolCalls.length === 0) throw useless(NOTHING)
      return { ...reply, usage }
    },
    async write({ messages, maxTokens, signal, onToken }) {
      const own = { messages: messages.map(messageToWire), stream: true, stream_options: { include_usage: true } }
      const read = await service.stream(
        ROUTE,
        bodyOf(own, maxTokens),
        (parts, begin) => readCompletion(parts, begin, onToken),
        signal,
      )
      signal?.throwIfAborted()
      const { text, refusal, finishReason, broken } = read
      const usage = usageOf(read.usage, () => promptTokens(messages), text)
      const useless = uselessWith(usage)
      if (broken instanceof Error && broken.name === "TimeoutError") {
        throw useless("did not end its answer in time (LLM_TIMEOUT_MS)", broken)
      }
      if (broken !== null || (finishReason === null && text !== "")) {
        throw useless("broke off before its answer had ended", broken)
      }
      if (checkedText({ content: text, refusal, finishReason }, useless, maxTokens) === "") throw useless(NOTHING)
      return { text, usage }
    },
  }
}

const ROUTE = "/chat/completions"
const NOTHING = "answered with nothing"
/** Longest token that is text: runs of blanks have some of 32 and more. */
const CHARS_PER_TOKEN_MAX = 32

interface Limits {
  readonly maxTokens?: number
  readonly signal?: AbortSignal
}

type Useless = (problem: string, cause?: unknown) => UselessReply

/** Estimated tokens of a conversation. */
export function promptTokens(messages: readonly ChatMessage[]): number {
  const parts = messages.flatMap(({ content }): readonly ChatPart[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  )
  return parts.reduce((sum, part) => sum + (part.type === "text" ? estimateTokens(part.text) : IMAGE_TOKENS), 0)
}

/** How an answer ended. */
interface Ended {
  readonly content?: string | null | undefined
  readonly refusal?: string | null | undefined
  readonly finishReason: string | null | undefined
}

function checkedText(
  { content, refusal, finishReason: reason }: Ended,
  useless: Useless,
  maxTokens: number = Infinity,
): string {
  if (refusal || reason === "content_filter") throw useless("refused to answer")
  if (reason === "length") throw useless("was cut off: the answer is longer than its limit of tokens (LLM_MAX_TOKENS)")
  if (reason === "error") throw useless("failed while it answered")
  if ((content?.length ?? 0) > CHARS_PER_TOKEN_MAX * maxTokens) throw useless("wrote more than it may (LLM_MAX_TOKENS)")
  return content ?? ""
}

function parseJson(text: string, useless: Useless): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The error would repeat the answer.
    throw useless("answered with something that is not JSON")
  }
}

function usageOf(counts: TokenCounts | null | undefined, prompt: () => number, answer: string): ChatUsage {
  if (counts) {
    return {
      promptTokens: counts.prompt_tokens,
      completionTokens: counts.completion_tokens,
      cachedTokens: counts.prompt_tokens_details?.cached_tokens ?? 0,
      isEstimated: false,
    }
  }
  return {
    promptTokens: prompt(),
    completionTokens: estimateTokens(answer),
    cachedTokens: 0,
    isEstimated: true,
  }
}

function messageToWire({ role, content }: ChatMessage) {
  return { role, content: typeof content === "string" ? content : content.map(partToWire) }
}

function partToWire(part: ChatPart) {
  if (part.type === "text") return part
  const url = `data:${part.mimeType};base64,${Buffer.from(part.bytes).toString("base64")}`
  return { type: "image_url", image_url: { url } }
}
