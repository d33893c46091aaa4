import type * as z from "zod"
import { AppError } from "../errors.ts"

/** A part of a message: text, or a picture that goes along as a data URL. */
export type ChatPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly bytes: Uint8Array; readonly mimeType: `image/${string}` }

/** One message of a conversation. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant"
  readonly content: string | readonly ChatPart[]
}

/** What a call took, in tokens. */
export interface ChatUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  /** Of the prompt, those that the server had in its cache; they are in `promptTokens` too. */
  readonly cachedTokens: number
  /** The server reported nothing: a third of the bytes, and 1,000 a picture. */
  readonly isEstimated: boolean
}

/** A question whose answer has a shape. */
export interface ChatQuestion<T> {
  readonly messages: readonly ChatMessage[]
  /** Names the shape: letters, digits, `_`. */
  readonly name: string
  /**
   * The answer's shape, which the model is held to and its answer checked by. Strict structured output knows neither
   * optional fields nor defaults, and bounds on lengths are not for it: every field required, `.nullable()` at the most.
   */
  readonly schema: z.ZodType<T>
  /** Longest answer, tokens; `replyTokensMax` when not given, and never more. */
  readonly maxTokens?: number
  readonly signal?: AbortSignal
}

/** A call of a tool, as the model asked for it. */
export interface ToolCall {
  /** The same in the answer to it. */
  readonly id: string
  readonly name: string
  /** A JSON object, or what is wrong with what the model wrote in its place. */
  readonly arguments: { readonly value: Readonly<Record<string, unknown>> } | { readonly problem: string }
}

/** A message of a conversation in which the model calls tools: each call is answered by a message of its own. */
export type ToolMessage =
  | ChatMessage
  | { readonly role: "assistant"; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: "tool"; readonly callId: string; readonly content: string }

/** What a model is told of a tool. */
export interface OfferedTool {
  /** Letters, digits, `_`. */
  readonly name: string
  readonly description: string
  readonly input: z.ZodType
}

/** A conversation that the model goes on with, by calls of tools or by text. */
export interface ToolQuestion {
  readonly messages: readonly ToolMessage[]
  /** None: it can only write. */
  readonly tools: readonly OfferedTool[]
  /** Longest answer, tokens; `replyTokensMax` when not given, and never more. */
  readonly maxTokens?: number
  readonly signal?: AbortSignal
}

/** The model's next message. Where it calls nothing, `text` is not empty. */
export interface ToolReply {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly usage: ChatUsage
}

/** A request for text. */
export interface ChatWriting {
  readonly messages: readonly ChatMessage[]
  /** As in `ChatQuestion`. */
  readonly maxTokens?: number
  readonly signal?: AbortSignal
  /** Gets each piece of the text as it comes. */
  readonly onToken?: ((text: string) => void) | undefined
}

/** A language model that converses. */
export interface ChatModel {
  readonly model: string
  /** Longest answer of one call, tokens. */
  readonly replyTokensMax: number
  /**
   * The answer in its shape. Throws `UselessReply` for an answer that can't be used, `AppError` `inference_unavailable`
   * where there is none within the time of a call, and the signal's reason.
   */
  ask<T>(question: ChatQuestion<T>): Promise<{ readonly value: T; readonly usage: ChatUsage }>
  /** What the model does next: calls tools, or writes. Throws as `ask` does; malformed arguments are no error. */
  callTools(question: ToolQuestion): Promise<ToolReply>
  /**
   * Free text, piece by piece. Throws as `ask`; what broke off half-way is a `UselessReply`, though `onToken` has had the
   * half of it, and isn't asked for again.
   */
  write(writing: ChatWriting): Promise<{ readonly text: string; readonly usage: ChatUsage }>
}

/**
 * The model answered, and took tokens, but with a refusal, half an answer or another shape. The message says which; it
 * repeats nothing of the answer, which may hold what the model was shown.
 */
export class UselessReply extends AppError {
  readonly usage: ChatUsage

  constructor(model: string, problem: string, usage: ChatUsage, cause?: unknown) {
    super("inference_unavailable", `The language model ${model} ${problem}.`, { cause })
    this.usage = usage
  }
}
