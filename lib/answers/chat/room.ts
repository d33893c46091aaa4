import { contextTokens } from "../../llm/context-tokens.ts"
import { BYTES_PER_TOKEN, estimateTokens } from "../../llm/estimate-tokens.ts"

/** Longest message of the model in a chat: an answer, or its calls. */
const REPLY_TOKENS = 1_024
/** A result of less says nothing. */
const RESULT_TOKENS_MIN = 300

/** What still fits. */
export interface Room {
  /** Longest message of the model, tokens. */
  readonly replyTokens: number
  /** Whether the model can take the conversation in. */
  fitsContext(prompt: string): boolean
  /** What leaves no room for a result and an answer to that, after the model's next message; null where they fit. */
  callLimit(prompt: string, usedTokens: number): string | null
  /** How many of the calls that a model makes at once have room for a result, one at the least, and how long each may be. */
  resultsOf(prompt: string, calls: number): { readonly calls: number; readonly bytesMax: number }
}

/**
 * What of a conversation fits a model's context, twice its longest answer or 8,192 tokens, and a request's tokens.
 * `prompt` is the whole conversation as text; by an estimate that is rather high.
 */
export function createRoom(replyTokensMax: number, tokensMax: number): Room {
  const replyTokens = Math.min(REPLY_TOKENS, replyTokensMax)
  const promptTokensMax = contextTokens(replyTokensMax) - replyTokens
  return {
    replyTokens,
    fitsContext: (prompt) => estimateTokens(prompt) <= promptTokensMax,
    callLimit: (prompt, used) => {
      const next = estimateTokens(prompt) + replyTokens + RESULT_TOKENS_MIN
      if (next > promptTokensMax) return "the context of the language model"
      const fits = used + estimateTokens(prompt) + next + 2 * replyTokens <= tokensMax
      return fits ? null : `the limit of ${tokensMax} tokens (ANSWER_TOKENS_MAX)`
    },
    resultsOf: (prompt, calls) => {
      const tokens = Math.max(RESULT_TOKENS_MIN, promptTokensMax - estimateTokens(prompt))
      const fitting = Math.min(calls, Math.floor(tokens / RESULT_TOKENS_MIN))
      return { calls: fitting, bytesMax: Math.floor(tokens / fitting) * BYTES_PER_TOKEN }
    },
  }
}
