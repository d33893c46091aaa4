import { z } from "zod"
import { TenantQuery } from "./tenant.ts"

const LIMIT_MAX = 200

/** The query string of a list that comes in pages. */
export const PageQuery = TenantQuery.extend({
  limit: z
    .string()
    .regex(/^\d{1,6}$/, `must be a whole number from 1 to ${LIMIT_MAX}`)
    .transform(Number)
    .pipe(z.int().min(1).max(LIMIT_MAX))
    .prefault("50")
    .describe("Entries a page"),
  cursor: z.string().max(12_000).optional().describe("`next_cursor` of the page before"),
})

/** What of it a list takes; an absent cursor is absent. */
export function pageOf({ limit, cursor }: z.output<typeof PageQuery>) {
  return { limit, ...(cursor !== undefined && { cursor }) }
}
