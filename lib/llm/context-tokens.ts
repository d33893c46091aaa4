/** What vLLM is started with (docs/llm.md). */
const CONTEXT_TOKENS = 8_192

/** A model's context, tokens: twice its longest answer (LLM_MAX_TOKENS), by that setting's own rule, or 8,192. */
export function contextTokens(replyTokensMax: number): number {
  return Math.max(CONTEXT_TOKENS, 2 * replyTokensMax)
}
