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
