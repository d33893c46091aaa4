import type { Context } from "hono"
import * as z from "zod"
import { EVERY_TENANT } from "../../lib/keys/api-key.ts"
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
 * One in the query string must be the key's even where the body names another. The request counts for the tenant's rate.
 * Throws `invalid_request`, `forbidden`, `rate_limited`.
 */
export function tenants(c: Context<Edge>): (inBody?: string) => Promise<string> {
  const principal = c.get("principal")
  const { source_account_id: asked } = checkQuery(TenantQuery, c.req.query())
  const inQuery = asked === undefined ? undefined : chooseTenant(principal, asked)
  return async (inBody) => {
    const tenant = inBody === undefined ? (inQuery ?? chooseTenant(principal)) : chooseTenant(principal, inBody)
    await c.get("rates").countTenant(tenant)
    return tenant
  }
}

/**
 * Whom it is counted for what a request embeds: the tenant of the query string, else the key's. One that has several, of which none is
 * `primary`, need not name one, for no tenant's rows are touched: then it is the first.
 */
export async function inferenceTenant(c: Context<Edge>): Promise<string> {
  const { tenants: ofKey } = c.get("principal")
  const [first] = ofKey
  const isNamed = (c.req.query("source_account_id") ?? "") !== ""
  const isPlain = ofKey.length < 2 || ofKey.includes("primary") || ofKey.includes(EVERY_TENANT)
  return tenants(c)(isNamed || isPlain ? undefined : first)
}
