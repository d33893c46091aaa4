import { AppError, invalidField } from "../errors.ts"
import { EVERY_TENANT, type Principal } from "./api-key.ts"

/** Name of the tenant that a request means when neither it nor its key names one. */
const DEFAULT_TENANT = "primary"

/** Whether a caller has to say which tenant it means, or may. */
export function hasSeveralTenants({ tenants }: Principal): boolean {
  return tenants.length > 1 || tenants.includes(EVERY_TENANT)
}

/**
 * The tenant of a request: the one it asks for, else the only one of its key, else `primary`. One that isn't the key's is
 * refused the same way whether it exists or not. Throws `invalid_request`, `forbidden`.
 */
export function chooseTenant({ tenants }: Principal, asked?: string): string {
  if (asked === undefined) return tenantOfKey(tenants)
  if (asked === EVERY_TENANT) throw invalidField("source_account_id", "must name one tenant")
  if (tenants.includes(EVERY_TENANT) || tenants.includes(asked)) return asked
  throw forbidden("The API key is not for this source_account_id")
}

function tenantOfKey(tenants: readonly string[]): string {
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
