import type { ChatUsage } from "../../llm/chat-model.ts"
import type { AnswerUsage } from "../response.ts"

/** Takes what a call took off the tenant's tokens. Throws `rate_limited` where they are used up. */
export type Charge = (tenant: string, usage: ChatUsage) => Promise<void> | void

/** What one answer takes. */
export interface Ledger {
  /** Counts a call that was made. Never throws: what is paid for is used. */
  take(call: ChatUsage): Promise<void>
  /** Whether another call may be made: throws what `charge` threw. */
  check(): void
  usage(): AnswerUsage
  /** Asked and answered. */
  tokens(): number
}

const NOTHING: ChatUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, isEstimated: false }

/** Throws what `charge` throws where nothing is left before the first call. */
export async function createLedger(tenant: string, charge: Charge): Promise<Ledger> {
  await charge(tenant, NOTHING)
  let usage: AnswerUsage = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, estimated: false }
  let problem: { readonly thrown: unknown } | null = null
  return {
    async take(call) {
      usage = {
        calls: usage.calls + 1,
        prompt_tokens: usage.prompt_tokens + call.promptTokens,
        completion_tokens: usage.completion_tokens + call.completionTokens,
        cached_tokens: usage.cached_tokens + call.cachedTokens,
        estimated: usage.estimated || call.isEstimated,
      }
      try {
        await charge(tenant, call)
      } catch (thrown) {
        problem = { thrown }
      }
    },
    check() {
      if (problem) throw problem.thrown
    },
    usage: () => usage,
    tokens: () => usage.prompt_tokens + usage.completion_tokens,
  }
}
