import * as z from "zod"
import type { InferenceService } from "../inference/inference-service.ts"
import { estimateTokens } from "../inference/remote-vectors.ts"
import { type ChatMessage, type ChatModel, type ChatPart, type ChatUsage, UselessReply } from "./chat-model.ts"
import { jsonSchemaOf } from "./json-schema-of.ts"
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
  usage: z
    .object({
      prompt_tokens: z.int().min(0),
      completion_tokens: z.int().min(0).default(0),
      prompt_tokens_details: z.object({ cached_tokens: z.int().min(0).nullish() }).nullish(),
    })
    .nullish(),
})
type Completion = z.output<typeof Completion>

/**
 * A model behind the `/chat/completions` route of an OpenAI-compatible service (vLLM, OpenRouter, Ollama, OpenAI). The
 * shape goes along as `response_format` `json_schema`, strict; a server that ignores it is caught by the check of the
 * answer.
 */
export function createOpenAiChatModel(options: OpenAiChatOptions): ChatModel {
  const { service, model, temperature, replyTokensMax, extraBody } = options

  /** One call: what the model said, what it took, and how to say that it is of no use. */
  async function complete(asked: Asked, own: Readonly<Record<string, unknown>>) {
    const { promptTokens: estimate, maxTokens = replyTokensMax, signal } = asked
    const body = { model, temperature, max_tokens: Math.min(maxTokens, replyTokensMax), ...own, ...extraBody }
    const completion = await service.post("/chat/completions", body, Completion, signal)
    const usage = usageOf(completion, estimate)
    const useless = (problem: string, cause?: unknown) => new UselessReply(model, problem, usage, cause)
    return { text: textOf(completion, useless), calls: completion.choices[0]?.message.tool_calls ?? [], usage, useless }
  }

  return {
    model,
    replyTokensMax,
    async ask({ messages, name, schema, maxTokens, signal }) {
      const { text, usage, useless } = await complete(
        { promptTokens: () => promptTokens(messages), maxTokens, signal },
        {
          messages: messages.map(messageToWire),
          response_format: { type: "json_schema", json_schema: { name, strict: true, schema: jsonSchemaOf(schema) } },
        },
      )
      if (text === "") throw useless("answered with nothing")
      const parsed = schema.safeParse(parseJson(text, useless))
      if (!parsed.success) throw useless("answered in another shape than asked for", parsed.error)
      return { value: parsed.data, usage }
    },
    async callTools({ messages, tools, maxTokens, signal }) {
      const body = toolBody(messages, tools, messageToWire)
      const { text, calls, usage, useless } = await complete(
        { promptTokens: () => estimateTokens(JSON.stringify(body)), maxTokens, signal },
        body,
      )
      const reply = tools.length > 0 ? toolCallsIn(text, calls) : { text, toolCalls: [] }
      if (reply.text.trim() === "" && reply.toolCalls.length === 0) throw useless("answered with nothing")
      return { ...reply, usage }
    },
  }
}

interface Asked {
  /** Estimated, where the server doesn't say. */
  readonly promptTokens: () => number
  readonly maxTokens: number | undefined
  readonly signal: AbortSignal | undefined
}

type Useless = (problem: string, cause?: unknown) => UselessReply

/** Estimated tokens of a conversation. */
export function promptTokens(messages: readonly ChatMessage[]): number {
  const parts = messages.flatMap(({ content }): readonly ChatPart[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  )
  return parts.reduce((sum, part) => sum + (part.type === "text" ? estimateTokens(part.text) : IMAGE_TOKENS), 0)
}

function textOf({ choices: [choice] }: Completion, useless: Useless): string {
  const { content, refusal } = choice?.message ?? {}
  const reason = choice?.finish_reason
  if (refusal || reason === "content_filter") throw useless("refused to answer")
  if (reason === "length") throw useless("was cut off: the answer is longer than its limit of tokens (LLM_MAX_TOKENS)")
  if (reason === "error") throw useless("failed while it answered")
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

function usageOf({ usage, choices }: Completion, estimate: () => number): ChatUsage {
  if (usage) {
    return {
      promptTokens: usage.prompt_tokens,
      completionTokens: usage.completion_tokens,
      cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
      isEstimated: false,
    }
  }
  const { content, tool_calls: calls } = choices[0]?.message ?? {}
  return {
    promptTokens: estimate(),
    completionTokens: estimateTokens((content ?? "") + (calls?.length ? JSON.stringify(calls) : "")),
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
