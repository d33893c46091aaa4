import { AppError } from "../../errors.ts"
import { type ChatModel, type ChatQuestion, UselessReply } from "../../llm/chat-model.ts"
import { promptTokens } from "../../llm/openai-chat-model.ts"

/** Failures in a row, of the service or of its answers, after which a document asks no more. */
const FAILURES_MAX = 3

/** How a call ended, and the tokens that it took. `over`: it might have gone over the limit, and was not made. */
export type CallOutcome<T> =
  | { readonly kind: "answer"; readonly value: T; readonly tokens: number }
  | { readonly kind: "useless" | "down"; readonly problem: string; readonly tokens: number }
  | { readonly kind: "over" | "stopped"; readonly tokens: 0 }

type BoundedQuestion<T> = ChatQuestion<T> & {
  readonly maxTokens: number
  /** Whether an answer in the right shape says anything; of one that doesn't, what is wrong. */
  readonly emptiness?: (value: T) => string | null
}

/** Calls of one stage of a document's enrichment, bounded in failures. */
export interface BoundedCalls {
  readonly llm: ChatModel
  /** Of all calls of the job together, earlier attempts included. */
  readonly tokensMax: number
  /** What ended the calls, for the uploader; null while they go on. */
  stopReason(): string | null
  /**
   * Asks, unless all calls of the job together might then take more than the stage's share of the tokens: a call counts as
   * its question and the longest answer until it has ended. Throws the signal's reason.
   */
  ask<T>(question: BoundedQuestion<T>): Promise<CallOutcome<T>>
}

/** The tokens of a job, which its stages share. */
export interface TokenPurse {
  used: number
  readonly underway: Set<Promise<unknown>>
}

interface CallLimits {
  readonly purse: TokenPurse
  readonly tokensMax: number
  /** Of `tokensMax`, 0 to 1. */
  readonly share: number
  readonly signal: AbortSignal
}

/** Calls of a stage: each has failures of its own, for a model that sees no pictures may well read text. */
export function createBoundedCalls(llm: ChatModel, { purse, tokensMax, share, signal }: CallLimits): BoundedCalls {
  let failures = 0
  let stopReason: string | null = null
  const { underway } = purse

  function fail(kind: "useless" | "down", problem: string, tokens: number): CallOutcome<never> {
    failures++
    if (failures >= FAILURES_MAX) stopReason ??= problem
    return { kind, problem, tokens }
  }

  async function call<T>(question: BoundedQuestion<T>, most: number): Promise<CallOutcome<T>> {
    try {
      const { value, usage } = await llm.ask({ ...question, signal })
      const tokens = usage.promptTokens + usage.completionTokens
      const problem = question.emptiness?.(value) ?? null
      if (problem !== null) return fail("useless", problem, tokens)
      failures = 0
      return { kind: "answer", value, tokens }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
      if (!(error instanceof UselessReply)) return fail("down", error.message, isLate(error) ? most : 0)
      return fail("useless", error.message, error.usage.promptTokens + error.usage.completionTokens)
    }
  }

  return {
    llm,
    tokensMax,
    stopReason: () => stopReason,
    async ask(question) {
      const most = promptTokens(question.messages) + question.maxTokens
      const isOver = (): boolean => purse.used + most > tokensMax * share
      while (stopReason === null && isOver() && underway.size > 0) await Promise.race(underway)
      signal.throwIfAborted()
      if (stopReason !== null) return { kind: "stopped", tokens: 0 }
      if (isOver()) return { kind: "over", tokens: 0 }
      purse.used += most
      const working = call(question, most)
        .then((outcome) => {
          purse.used += outcome.tokens - most
          return outcome
        })
        .finally(() => underway.delete(working))
      underway.add(working)
      return working
    },
  }
}

/** Given up after its time: the server may have worked on it all the same. */
const isLate = (error: AppError): boolean => error.cause instanceof Error && error.cause.name === "TimeoutError"
