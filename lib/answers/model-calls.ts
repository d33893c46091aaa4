import type { Deadline } from "../deadline.ts"
import { AppError } from "../errors.ts"
import { type ChatModel, type ChatQuestion, type ChatUsage, type ChatWriting, UselessReply } from "../llm/chat-model.ts"
import { promptTokens } from "../llm/openai-chat-model.ts"
import type { TokenBudget } from "../token-budget.ts"
import type { AnswerUsage } from "./response.ts"
import { openTokenPurse, type TokenPurse } from "./token-purse.ts"

/**
 * How a call ended. `useless`: an answer that can't be used; `down`: none; `late`: the time of the whole answer is over;
 * `over`: its tokens are, and the call was not made.
 */
export type CallOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false
      readonly kind: "useless" | "down" | "late" | "over"
      readonly problem: string
      /** Where the day's tokens are over: what to throw if nothing else can be given. */
      readonly error?: AppError | null
    }

/** What a call of somebody else's making came to. */
interface Made<T> {
  readonly value: T
  readonly usage: ChatUsage
}

/** The language model as one answer asks it: bounded in tokens and time, and counted. */
export interface ModelCalls {
  readonly llm: ChatModel
  ask<T>(question: Omit<ChatQuestion<T>, "signal"> & { readonly maxTokens: number }): Promise<CallOutcome<T>>
  write(writing: Omit<ChatWriting, "signal"> & { readonly maxTokens: number }): Promise<CallOutcome<string>>
  /** Bounds and counts a call that another part makes: so many tokens asked, estimated, and answered. */
  make<T>(prompt: number, maxTokens: number, call: (signal: AbortSignal) => Promise<Made<T>>): Promise<CallOutcome<T>>
  /** Whether tokens or time have run out, so that no call is worth planning. */
  isOver(): boolean
  usage(): AnswerUsage
}

/** Throws nothing but the signal's reason when the caller has gone, and what isn't an `AppError`. */
function createModelCalls(llm: ChatModel, purse: TokenPurse, { signal }: Deadline): ModelCalls {
  const total = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, estimated: false }
  let isSpent = false

  function count({ promptTokens, completionTokens, cachedTokens, isEstimated }: ChatUsage): number {
    total.prompt_tokens += promptTokens
    total.completion_tokens += completionTokens
    total.cached_tokens += cachedTokens
    total.estimated ||= isEstimated
    return promptTokens + completionTokens
  }

  const make: ModelCalls["make"] = async (prompt, maxTokens, call) => {
    const most = prompt + Math.min(maxTokens, llm.replyTokensMax)
    if (signal.aborted) return stopped(signal)
    const limit = await purse.take(most)
    if (limit !== null) {
      isSpent = true
      return { ok: false, kind: "over", ...limit }
    }
    if (signal.aborted) {
      purse.settle(most, 0)
      return stopped(signal)
    }
    total.calls++
    let took = 0
    try {
      const { value, usage } = await call(signal)
      took = count(usage)
      return { ok: true, value }
    } catch (error) {
      if (error instanceof UselessReply) took = count(error.usage)
      // Given up under way: the server has read the question at the least.
      else if (signal.aborted || wasLate(error)) took = count(readOnly(prompt))
      return failed(error, signal)
    } finally {
      purse.settle(most, took)
    }
  }

  return {
    llm,
    make,
    ask: (question) =>
      make(promptTokens(question.messages), question.maxTokens, (within) => llm.ask({ ...question, signal: within })),
    write: (writing) =>
      make(promptTokens(writing.messages), writing.maxTokens, async (within) => {
        const { text, usage } = await llm.write({ ...writing, signal: within })
        return { value: text, usage }
      }),
    isOver: () => isSpent || signal.aborted,
    usage: () => ({ ...total }),
  }
}

const LATE = "the time for an answer ran out (ANSWER_TIMEOUT_MS)"

/** Out of time, or, where the caller has gone, the error that says so. */
function stopped({ reason }: AbortSignal): CallOutcome<never> {
  if (!isLate(reason)) throw reason
  return { ok: false, kind: "late", problem: LATE }
}

function failed(error: unknown, signal: AbortSignal): CallOutcome<never> {
  if (signal.aborted) return stopped(signal)
  if (!(error instanceof AppError)) throw error
  const problem = error.message.replace(/\.$/, "")
  return { ok: false, kind: error instanceof UselessReply ? "useless" : "down", problem }
}

const readOnly = (prompt: number): ChatUsage => ({
  promptTokens: prompt,
  completionTokens: 0,
  cachedTokens: 0,
  isEstimated: true,
})

const isLate = (reason: unknown): boolean => reason instanceof Error && reason.name === "TimeoutError"

const wasLate = (error: unknown): boolean => error instanceof AppError && isLate(error.cause)

interface Metered {
  readonly llm: ChatModel
  readonly budget: TokenBudget
  readonly tenant: string
  /** Of the request. */
  readonly tokensMax: number
  readonly deadline: Deadline
}

/** Lets `work` ask the model within a request's and a day's tokens. Throws `rate_limited` where the day has none left. */
export async function withModelCalls<T>(
  { llm, budget, tenant, tokensMax, deadline }: Metered,
  work: (calls: ModelCalls) => Promise<T>,
): Promise<T> {
  const purse = await openTokenPurse({ budget, tenant, tokensMax })
  try {
    return await work(createModelCalls(llm, purse, deadline))
  } finally {
    // An answer is no worse for it: the tokens stay taken until the day is over.
    await purse.close().catch(() => {})
  }
}

/** Tokens of a usage, asked and answered. */
export const tokensOf = ({ prompt_tokens, completion_tokens }: AnswerUsage): number => prompt_tokens + completion_tokens
