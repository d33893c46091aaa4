import type { Context } from "hono"
import * as z from "zod"
import { chooseTenant } from "../../lib/keys/choose-tenant.ts"
import { TenantId } from "../../lib/shapes.ts"
import { checkQuery } from "./check-input.ts"
import type { Edge } from "./edge.ts"

/** The query string of every route that concerns a tenant. */
export const TenantQuery = z.object({
  source_account_id: TenantId.optional().describe("Tenant, where no body names one; `primary` when absent"),
})

/**
 * The tenant of a request, or of each line of one: the one its body names, else its query string, else `chooseTenant`'s.
 * One in the query string must be the key's even where the body names another. Throws `invalid_request`, `forbidden`.
 */
export function tenants(c: Context<Edge>): (inBody?: string) => string {
  const principal = c.get("principal")
  const { source_account_id: asked } = checkQuery(TenantQuery, c.req.query())
  const inQuery = asked === undefined ? undefined : chooseTenant(principal, asked)
  return (inBody) => (inBody === undefined ? (inQuery ?? chooseTenant(principal)) : chooseTenant(principal, inBody))
}
