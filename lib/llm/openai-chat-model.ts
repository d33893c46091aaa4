import * as z from "zod"
import type { InferenceService } from "../inference/inference-service.ts"
import { estimateTokens } from "../inference/remote-vectors.ts"
import { type ChatMessage, type ChatModel, type ChatPart, type ChatUsage, UselessReply } from "./chat-model.ts"
import { readCompletion } from "./read-completion.ts"
import { TokenCounts } from "./token-counts.ts"

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
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
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
  const bodyOf = (messages: readonly ChatMessage[], maxTokens = replyTokensMax) => ({
    model,
    temperature,
    max_tokens: Math.min(maxTokens, replyTokensMax),
    messages: messages.map(toWire),
    ...extraBody,
  })
  const uselessWith =
    (usage: ChatUsage): Useless =>
    (problem, cause) =>
      new UselessReply(model, problem, usage, cause)
  return {
    model,
    replyTokensMax,
    async ask({ messages, name, schema, maxTokens, signal }) {
      const json_schema = { name, strict: true, schema: jsonSchemaOf(schema) }
      const body = { ...bodyOf(messages, maxTokens), response_format: { type: "json_schema", json_schema } }
      const { choices, usage: counts } = await service.post("/chat/completions", body, Completion, signal)
      const { finish_reason, message } = choices[0] ?? {}
      const usage = usageOf(counts, messages, message?.content ?? "")
      const useless = uselessWith(usage)
      const text = checkedText({ ...message, finishReason: finish_reason }, useless)
      const parsed = schema.safeParse(parseJson(text, useless))
      if (!parsed.success) throw useless("answered in another shape than asked for", parsed.error)
      return { value: parsed.data, usage }
    },
    async write({ messages, maxTokens, signal, onToken }) {
      const body = { ...bodyOf(messages, maxTokens), stream: true, stream_options: { include_usage: true } }
      const read = await service.stream(
        "/chat/completions",
        body,
        (parts, begin) => readCompletion(parts, begin, onToken),
        signal,
      )
      signal?.throwIfAborted()
      const { text, refusal, finishReason, broken } = read
      const usage = usageOf(read.usage, messages, text)
      const useless = uselessWith(usage)
      if (broken instanceof Error && broken.name === "TimeoutError") {
        throw useless("did not end its answer in time (LLM_TIMEOUT_MS)", broken)
      }
      if (broken !== null || (finishReason === null && text !== "")) {
        throw useless("broke off before its answer had ended", broken)
      }
      return { text: checkedText({ content: text, refusal, finishReason }, useless), usage }
    },
  }
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

function checkedText({ content, refusal, finishReason: reason }: Ended, useless: Useless): string {
  if (refusal || reason === "content_filter") throw useless("refused to answer")
  if (reason === "length") throw useless("was cut off: the answer is longer than its limit of tokens (LLM_MAX_TOKENS)")
  if (reason === "error") throw useless("failed while it answered")
  if (!content) throw useless("answered with nothing")
  return content
}

function parseJson(text: string, useless: Useless): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The error would repeat the answer.
    throw useless("answered with something that is not JSON")
  }
}

function usageOf(counts: TokenCounts | null | undefined, messages: readonly ChatMessage[], answer: string): ChatUsage {
  if (counts) {
    return {
      promptTokens: counts.prompt_tokens,
      completionTokens: counts.completion_tokens,
      cachedTokens: counts.prompt_tokens_details?.cached_tokens ?? 0,
      isEstimated: false,
    }
  }
  return {
    promptTokens: promptTokens(messages),
    completionTokens: estimateTokens(answer),
    cachedTokens: 0,
    isEstimated: true,
  }
}

function toWire({ role, content }: ChatMessage) {
  return { role, content: typeof content === "string" ? content : content.map(partToWire) }
}

function partToWire(part: ChatPart) {
  if (part.type === "text") return part
  const url = `data:${part.mimeType};base64,${Buffer.from(part.bytes).toString("base64")}`
  return { type: "image_url", image_url: { url } }
}

/** OpenAI's strict mode refuses keywords that it doesn't know. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...shape } = z.toJSONSchema(schema)
  return shape
}
