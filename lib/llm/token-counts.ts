import * as z from "zod"

/** What a service reports that a call took, on the wire. */
export const TokenCounts = z.object({
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0).default(0),
  prompt_tokens_details: z.object({ cached_tokens: z.int().min(0).nullish() }).nullish(),
})
export type TokenCounts = z.output<typeof TokenCounts>
