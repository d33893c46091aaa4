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
]
