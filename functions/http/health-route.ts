import { Hono } from "hono"
import * as z from "zod"
import { type Health, HealthReport } from "../../lib/health.ts"
import type { Guard } from "./auth.ts"
import type { Edge } from "./edge.ts"
import type { Operation } from "./openapi.ts"

const HealthQuery = z.object({
  detail: z.string().optional().describe("`1` names each component, and needs a key with the scope `search`"),
})

/** `GET /health`: plain for load balancers, without a key; `?detail=1` for people, with one. */
export function healthRoute(health: Health, { guard, version }: { readonly guard: Guard; readonly version: string }) {
  const identify = guard("search")
  return new Hono<Edge>().get("/health", async (c) => {
    const detail = ["1", "true"].includes(c.req.query("detail") ?? "")
    if (detail) await identify(c, async () => {})
    const report = { ...(await health(detail)), ...(detail && { version }) }
    return c.json(report satisfies HealthReport, report.status === "ok" ? 200 : 503)
  })
}

export const healthOperations: readonly Operation[] = [
  {
    method: "get",
    tag: "Service",
    path: "/health",
    summary: "Whether the service can answer",
    query: HealthQuery,
    responses: {
      200: { description: "It can", "application/json": ["HealthReport", HealthReport] },
      503: { description: "It cannot", "application/json": ["HealthReport", HealthReport] },
    },
  },
]
