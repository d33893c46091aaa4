import * as z from "zod"
import { HealthReport } from "../../lib/health.ts"
import type { Operation } from "./openapi.ts"

const HealthQuery = z.object({
  detail: z.string().optional().describe("`1` names each component, and needs a key with the scope `search`"),
})

/** Apart from the route, which a health check's Lambda loads without schemas. */
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
  {
    method: "get",
    tag: "Service",
    path: "/health/live",
    summary: "Whether the process runs; asks neither database nor models",
    responses: { 200: { description: "It does", "application/json": ["HealthReport", HealthReport] } },
  },
  {
    method: "get",
    tag: "Service",
    path: "/health/ready",
    summary: "Whether requests should be sent here; not while it shuts down",
    responses: {
      200: { description: "They should", "application/json": ["HealthReport", HealthReport] },
      503: { description: "They should not", "application/json": ["HealthReport", HealthReport] },
    },
  },
]
