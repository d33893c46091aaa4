import type { Context } from "hono"
import * as z from "zod"
import { AppError, invalidField } from "../../lib/errors.ts"
import { EVERY_TENANT, type Principal } from "../../lib/keys/api-key.ts"
import { TenantId } from "../../lib/shapes.ts"
import { checkQuery } from "./check-input.ts"
import type { Edge } from "./edge.ts"

/** Name of the tenant that a request means when neither it nor its key names one. */
const DEFAULT_TENANT = "primary"

/** The query string of every route that concerns a tenant. */
export const TenantQuery = z.object({
  source_account_id: TenantId.optional().describe("Tenant, where no body names one; `primary` when absent"),
})

/**
 * The tenant of a request, or of each line of one: the one its body names, else its query string, else the only one of
 * its key, else `primary`. A tenant that isn't the key's is refused the same way whether it exists or not, and in the
 * query string even where the body names another. Throws `invalid_request`, `forbidden`.
 */
export function tenants(c: Context<Edge>): (inBody?: string) => string {
  const principal = c.get("principal")
  const { source_account_id: asked } = checkQuery(TenantQuery, c.req.query())
  const inQuery = asked === undefined ? undefined : allowed(principal, asked)
  return (inBody) => (inBody === undefined ? (inQuery ?? tenantOfKey(principal)) : allowed(principal, inBody))
}

function allowed({ tenants }: Principal, asked: string): string {
  if (asked === EVERY_TENANT) throw invalidField("source_account_id", "must name one tenant")
  if (tenants.includes(EVERY_TENANT) || tenants.includes(asked)) return asked
  throw forbidden("The API key is not for this source_account_id")
}

function tenantOfKey({ tenants }: Principal): string {
  if (tenants.includes(EVERY_TENANT) || tenants.includes(DEFAULT_TENANT)) return DEFAULT_TENANT
  const [only, ...others] = tenants
  if (only !== undefined && others.length === 0) return only
  throw forbidden("Name one of the API key's tenants as source_account_id")
}

function forbidden(message: string): AppError {
  return new AppError("forbidden", message, {
    fields: [{ field: "source_account_id", message: "must be one of the key's tenants" }],
  })
}
