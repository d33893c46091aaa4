import { Hono } from "hono"
import { type ReadUsage, UsageDate, UsageReport } from "../../lib/usage/read-usage.ts"
import type { Guard } from "./auth.ts"
import { checkQuery } from "./check-input.ts"
import type { Edge } from "./edge.ts"
import type { Operation } from "./openapi.ts"
import { TenantQuery, tenants } from "./tenant.ts"

const UsageQuery = TenantQuery.extend({
  from: UsageDate.optional().describe("First day (UTC); 30 days before `to` when absent"),
  to: UsageDate.optional().describe("Last day; today when absent"),
})

/** `GET /usage`. */
export function usageRoute(readUsage: ReadUsage, { guard }: { readonly guard: Guard }) {
  return new Hono<Edge>().get("/usage", guard("search"), async (c) => {
    const { from, to } = checkQuery(UsageQuery, c.req.query())
    const tenant = await tenants(c)()
    return c.json((await readUsage(tenant, { from, to })) satisfies UsageReport)
  })
}

export const usageOperations: readonly Operation[] = [
  {
    method: "get",
    tag: "Service",
    path: "/usage",
    summary: "What a tenant has used, day by day, and what is stored for it",
    description: "At most 366 days. What the last seconds brought may be missing.",
    scope: "search",
    query: UsageQuery,
    responses: { 200: { description: "The counts", "application/json": ["UsageReport", UsageReport] } },
  },
]
