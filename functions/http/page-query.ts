import * as z from "zod"
import { TenantQuery } from "./tenant.ts"

/** The query string of a list that comes in pages of at most `limitMax` entries, `standard` when it doesn't say. */
export function pageQuery(limitMax: number, standard: number) {
  return TenantQuery.extend({
    limit: z
      .string()
      .regex(/^\d{1,6}$/, `must be a whole number from 1 to ${limitMax}`)
      .transform(Number)
      .pipe(z.int().min(1).max(limitMax))
      .prefault(String(standard))
      .describe("Entries a page"),
    cursor: z.string().max(12_000).optional().describe("`next_cursor` of the page before"),
  })
}

/** That of most lists. */
export const PageQuery = pageQuery(200, 50)

/** What of it a list takes; an absent cursor is absent. */
export function pageOf({ limit, cursor }: z.output<typeof PageQuery>) {
  return { limit, ...(cursor !== undefined && { cursor }) }
}
